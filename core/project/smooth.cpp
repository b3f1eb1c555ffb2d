// SPDX-License-Identifier: Apache-2.0
#include "project/smooth.h"

#include <cmath>

namespace sparserl {

std::vector<SeriesPoint> smoothed(std::span<const SeriesPoint> points, double weight)
{
    std::vector<SeriesPoint> result;
    result.reserve(points.size());
    double sum = 0, total = 0;
    for (const SeriesPoint& point : points) {
        if (!std::isfinite(point.value)) {
            result.push_back(point);
            continue;
        }
        sum = weight * sum + (1 - weight) * point.value;
        total = weight * total + (1 - weight);
        result.push_back({point.step, sum / total});
    }
    return result;
}

std::size_t smoothingMemory(double weight)
{
    return weight > 0 ? static_cast<std::size_t>(std::ceil(std::log(1e-6) / std::log(weight))) : 0;
}

} // namespace sparserl
