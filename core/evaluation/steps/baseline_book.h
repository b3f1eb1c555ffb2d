// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/baselines.h"

#include <string>
#include <vector>

namespace sparserl {

/// The cached library times of one matrix and when they have to be measured again (docs/design.md 5.3): after
/// every 50 candidates; 3 % of drift, confirmed by another measurement, invalidates what was measured since.
class BaselineBook
{
public:
    static constexpr int candidatesBetween = 50;
    static constexpr double drift = 0.03;

    enum class Outcome
    {
        First,  ///< There was nothing before.
        Stable, ///< Within the drift: the cached time stays.
        Again,  ///< Not within: measure once more before anything is believed.
        Drifted ///< Twice: the new time counts, and programs have to be measured again.
    };

    /// `paper`: programs are compared with cuSPARSE's DEFAULT algorithm instead of its best CSR routine.
    explicit BaselineBook(bool paper = false)
        : m_paper(paper)
    {
    }

    bool known() const { return !m_best.algorithm.empty(); }
    /// True where a measurement is due; asked once for every candidate.
    bool count();
    /// Without a routine to compare with the book stays as it is.
    Outcome add(const std::vector<BaselineTiming>& timings);

    const BaselineTiming& best() const { return m_best; }
    /// Microseconds of DEFAULT and of the best CSR routine, measured with best(); 0 where not timed.
    double defaultRoutine() const { return m_default; }
    double bestRoutine() const { return m_bestCsr; }
    /// Counts the drifts: times of different epochs are not compared.
    int epoch() const { return m_epoch; }

private:
    void take(const BaselineTiming& best, const std::vector<BaselineTiming>& timings);

    bool m_paper;
    BaselineTiming m_best;
    double m_default = 0, m_bestCsr = 0;
    double m_doubt = 0; ///< Of the measurement that drifted; 0: none.
    int m_since = 0, m_epoch = 0;
};

/// Picks what programs are compared with: the best CSR routine, or with `paper` the DEFAULT algorithm.
/// Nothing where there is none.
const BaselineTiming* chooseBaseline(const std::vector<BaselineTiming>& timings, bool paper);

} // namespace sparserl
