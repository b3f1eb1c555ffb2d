// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

/// Exponential moving average with bias correction, `weight` w in [0, 1): of v_0 ... v_i it is
/// (1 - w) sum_j w^(i-j) v_j over 1 - w^(i+1), as TensorBoard draws it. A value that is not finite stays what
/// it is and does not enter the average.
class MovingAverage
{
public:
    explicit MovingAverage(double weight)
        : m_weight(weight)
    {
    }
    double weight() const { return m_weight; }
    /// The average behind the next value.
    double next(double value);

private:
    double m_weight, m_sum = 0, m_total = 0;
};

} // namespace sparserl
