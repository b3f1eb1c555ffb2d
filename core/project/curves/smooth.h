// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

/// Computes the exponential moving average with bias correction, as in TensorBoard. With the weight w in [0,
/// 1), the average of v_0 ... v_i is (1 - w) sum_j w^(i-j) v_j / (1 - w^(i+1)). A non-finite value is
/// returned unchanged and does not affect the average.
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
