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
    /// since the first piece is not done, or all is. A fraction below where it began is other work.
    std::optional<double> update(double fraction, double now);

private:
    double m_from = -1, m_fromTime = 0; ///< The end of the first piece; negative: not yet.
};

} // namespace sparserl
