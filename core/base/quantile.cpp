// SPDX-License-Identifier: Apache-2.0
#include "base/quantile.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sparserl {

double sortedQuantile(std::span<const double> values, double q)
{
    if (values.empty())
        return 0;
    const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(std::floor(position));
    const auto high = std::min(low + 1, values.size() - 1);
    const double part = position - std::floor(position);
    return values[low] * (1 - part) + values[high] * part;
}

double quantile(std::vector<double> values, double q)
{
    std::sort(values.begin(), values.end());
    return sortedQuantile(values, q);
}

double median(std::vector<double> values)
{
    return quantile(std::move(values), 0.5);
}

} // namespace sparserl
