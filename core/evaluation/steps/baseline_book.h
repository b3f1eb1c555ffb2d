// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/baselines.h"

#include <string>
#include <vector>

namespace sparserl {

/// The cached library times of one matrix, with rules for measuring again (docs/design.md 5.3). A measurement
/// is due after every 50 candidates. A drift of 3 %, confirmed by a second measurement, invalidates the
/// measurements since the last one.
class BaselineBook
{
public:
    static constexpr int candidatesBetween = 50;
    static constexpr double drift = 0.03;

    enum class Outcome
    {
        First,  ///< No previous measurement.
        Stable, ///< Within the drift limit: the cached time stays.
        Again,  ///< Outside the limit: measure once more to confirm.
        Drifted ///< Confirmed: the new time counts, and programs must be measured again.
    };

    /// `paper`: compares programs with cuSPARSE's DEFAULT algorithm, not with its best CSR routine.
    explicit BaselineBook(bool paper = false)
        : m_paper(paper)
    {
    }

    bool known() const { return !m_best.algorithm.empty(); }
    /// Returns true if a measurement is due. Call it once per candidate.
    bool count();
    /// Leaves the book unchanged if there is no baseline routine.
    Outcome add(const std::vector<BaselineTiming>& timings);

    const BaselineTiming& best() const { return m_best; }
    /// Microseconds of DEFAULT and of the best CSR routine, measured together with best(); 0 if not timed.
    double defaultRoutine() const { return m_default; }
    double bestRoutine() const { return m_bestCsr; }
    /// Number of drifts. Times of different epochs are not comparable.
    int epoch() const { return m_epoch; }

private:
    void take(const BaselineTiming& best, const std::vector<BaselineTiming>& timings);

    bool m_paper;
    BaselineTiming m_best;
    double m_default = 0, m_bestCsr = 0;
    double m_doubt = 0; ///< The unconfirmed drifted time; 0: none.
    int m_since = 0, m_epoch = 0;
};

/// Selects the baseline: the best CSR routine, or with `paper` the DEFAULT algorithm. nullptr if there is
/// none.
const BaselineTiming* chooseBaseline(const std::vector<BaselineTiming>& timings, bool paper);

} // namespace sparserl
