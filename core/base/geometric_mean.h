// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace sparserl {

/// The geometric mean of ratios: exp of the mean of their logarithms.
class GeometricMean
{
public:
    /// Adds a ratio. Ignores ratios that are not above 0.
    void add(double ratio)
    {
        if (!(ratio > 0))
            return;
        m_logs += std::log(ratio);
        ++m_count;
    }
    std::int64_t count() const { return m_count; }
    /// The mean, or 0 if there are no ratios.
    double value() const { return m_count > 0 ? std::exp(m_logs / static_cast<double>(m_count)) : 0; }

private:
    double m_logs = 0;
    std::int64_t m_count = 0;
};

} // namespace sparserl
