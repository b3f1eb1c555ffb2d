// SPDX-License-Identifier: Apache-2.0
#include "base/time_left.h"

#include <algorithm>

namespace sparserl {

std::optional<double> TimeLeft::update(double fraction, double now)
{
    if (!(fraction > 0)) {
        *this = {};
        return std::nullopt;
    }
    if (m_from < 0 || fraction < m_most / 2) {
        m_from = m_most = fraction;
        m_fromTime = now;
    }
    m_most = std::max(m_most, fraction);
    constexpr double least = 0.01;
    if (fraction - m_from < least || fraction >= 1)
        return std::nullopt;
    return (now - m_fromTime) * (1 - fraction) / (fraction - m_from);
}

} // namespace sparserl
