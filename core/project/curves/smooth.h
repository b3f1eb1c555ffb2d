// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

/// Exponential moving average with bias correction, `weight` w in [0, 1): for v_0 ... v_i it is (1 - w) sum_j
/// w^(i-j) v_j over 1 - w^(i+1), as in TensorBoard. A non-finite value is passed through and does not enter
/// the average.
class MovingAverage
{
public:
    explicit MovingAverage(double weight)
        : m_weight(weight)
    {
    }
    double weight() const { return m_weight; }
    /// Adds a value and returns the new average.
    double next(double value);

private:
    double m_weight, m_sum = 0, m_total = 0;
};

} // namespace sparserl
