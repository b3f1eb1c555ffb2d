// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace sparserl {

/// How long work still takes, from how the share that is done grows. What comes before the first piece has
/// ended (starting, reading, judging data) does not count: it does not come again with every piece.
class TimeLeft
{
public:
    /// `fraction` is done at `now` (seconds of any clock). Seconds that are left; nothing while a hundredth
    /// since the first piece is not done, or all is. Less than half of what was done is other work; a little
    /// less is a piece of another thread.
    std::optional<double> update(double fraction, double now);

private:
    double m_from = -1, m_fromTime = 0; ///< The end of the first piece; negative: not yet.
    double m_most = 0;
};

} // namespace sparserl
