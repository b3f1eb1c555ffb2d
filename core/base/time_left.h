// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace sparserl {

/// Estimates remaining time from the growth of the completed fraction. The time before the first progress
/// (startup, reading, judging data) does not count, because it does not recur.
class TimeLeft
{
public:
    /// Reports that `fraction` is complete at `now` (seconds of any clock). Returns the remaining seconds;
    /// nullopt if less than a hundredth was completed since the first progress, or if everything is complete.
    /// A fraction below half of the maximum so far means new work and restarts the estimate. A smaller
    /// decrease comes from another thread.
    std::optional<double> update(double fraction, double now);

private:
    double m_from = -1, m_fromTime = 0; ///< The first progress; negative if there is none yet.
    double m_most = 0;
};

} // namespace sparserl
