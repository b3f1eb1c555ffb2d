// SPDX-License-Identifier: Apache-2.0
#include "base/time_left.h"

namespace sparserl {

std::optional<double> TimeLeft::update(double fraction, double now)
{
    if (!(fraction > 0) || fraction < m_from)
        m_from = -1;
    if (!(fraction > 0))
        return std::nullopt;
    if (m_from < 0) {
        m_from = fraction;
        m_fromTime = now;
    }
    constexpr double least = 0.01;
    if (fraction - m_from < least || fraction >= 1)
        return std::nullopt;
    return (now - m_fromTime) * (1 - fraction) / (fraction - m_from);
}

} // namespace sparserl
