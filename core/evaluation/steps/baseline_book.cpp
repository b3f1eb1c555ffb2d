// SPDX-License-Identifier: Apache-2.0
#include "evaluation/steps/baseline_book.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

bool BaselineBook::count()
{
    if (++m_since < candidatesBetween)
        return false;
    m_since = 0;
    return true;
}

void BaselineBook::take(const BaselineTiming& best, const std::vector<BaselineTiming>& timings)
{
    const auto medianOf = [&](bool paper) {
        const auto* chosen = chooseBaseline(timings, paper);
        return chosen ? chosen->warm.median : 0;
    };
    m_best = best;
    m_default = medianOf(true);
    m_bestCsr = medianOf(false);
}

BaselineBook::Outcome BaselineBook::add(const std::vector<BaselineTiming>& timings)
{
    const BaselineTiming* found = chooseBaseline(timings, m_paper);
    if (!found)
        return Outcome::Stable;
    m_since = 0;
    if (!known()) {
        take(*found, timings);
        return Outcome::First;
    }
    const auto near = [](double a, double b) { return std::abs(a - b) <= drift * b; };
    const bool doubted = m_doubt > 0;
    m_doubt = 0;
    if (near(found->warm.median, m_best.warm.median))
        return Outcome::Stable;
    if (!doubted) {
        m_doubt = found->warm.median;
        return Outcome::Again;
    }
    take(*found, timings);
    ++m_epoch;
    return Outcome::Drifted;
}

const BaselineTiming* chooseBaseline(const std::vector<BaselineTiming>& timings, bool paper)
{
    const BaselineTiming* best = nullptr;
    for (const auto& t : timings) {
        const bool competes = paper ? t.algorithm.find("DEFAULT") != std::string::npos : t.csr;
        if (competes && t.warm.median > 0 && (!best || t.warm.median < best->warm.median))
            best = &t;
    }
    return best;
}

} // namespace sparserl
