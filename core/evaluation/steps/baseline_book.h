// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/baselines.h"

#include <string>
#include <vector>

namespace sparserl {

/// The cached library times of one matrix, with the rules for measuring them again (docs/design.md 5.3). A
/// measurement is due after every 50 candidates. If it differs by 3 % from the cached time and a second
/// measurement confirms this, the programs measured since the previous measurement must be measured again.
class BaselineBook
{
public:
    static constexpr int candidatesBetween = 50;
    static constexpr double drift = 0.03;

    enum class Outcome
    {
        First,  ///< This was the first measurement.
        Stable, ///< The time is within the drift limit, and the cached time stays.
        Again,  ///< The time is outside the limit. Measure once more to confirm it.
        Drifted ///< The drift is confirmed. The new time counts, and programs must be measured again.
    };

    /// With `paper`, programs are compared with cuSPARSE's DEFAULT algorithm, otherwise with its best CSR
    /// routine.
    explicit BaselineBook(bool paper = false)
        : m_paper(paper)
    {
    }

    bool known() const { return !m_best.algorithm.empty(); }
    /// Counts a candidate. Returns true if a measurement is due. Call it once per candidate.
    bool count();
    /// Adds a measurement. Leaves the book unchanged if `timings` has no baseline routine.
    Outcome add(const std::vector<BaselineTiming>& timings);

    const BaselineTiming& best() const { return m_best; }
    /// These return the microseconds of DEFAULT and of the best CSR routine, measured together with best(); 0
    /// if not timed.
    double defaultRoutine() const { return m_default; }
    double bestRoutine() const { return m_bestCsr; }
    /// Returns the epoch: the number of drifts so far. Times of different epochs are not comparable.
    int epoch() const { return m_epoch; }

private:
    void take(const BaselineTiming& best, const std::vector<BaselineTiming>& timings);

    bool m_paper;
    BaselineTiming m_best;
    double m_default = 0, m_bestCsr = 0;
    double m_doubt = 0; ///< A drifted time that is not confirmed yet; 0: none.
    int m_since = 0, m_epoch = 0;
};

/// Returns the baseline: the best CSR routine or, with `paper`, the DEFAULT algorithm. Returns nullptr if
/// `timings` has none.
const BaselineTiming* chooseBaseline(const std::vector<BaselineTiming>& timings, bool paper);

} // namespace sparserl
