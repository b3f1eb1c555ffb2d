// SPDX-License-Identifier: Apache-2.0
#include "project/curves/smooth.h"

#include <cmath>

namespace sparserl {

double MovingAverage::next(double value)
{
    if (!std::isfinite(value))
        return value;
    m_sum = m_weight * m_sum + (1 - m_weight) * value;
    m_total = m_weight * m_total + (1 - m_weight);
    return m_sum / m_total;
}

} // namespace sparserl
