// SPDX-License-Identifier: Apache-2.0
#include "project/curves/decimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sparserl {
namespace {

/// Indices of the points of one bucket that must stay.
class Bucket
{
public:
    void add(std::size_t index, double value)
    {
        if (!std::isfinite(value)) {
            auto& slot = std::isnan(value) ? m_nan : value > 0 ? m_plus : m_minus;
            if (!slot)
                slot = index;
            return;
        }
        if (!m_first) {
            m_first = index;
            m_lowest = m_highest = {index, value};
        }
        m_last = index;
        if (value < m_lowest.value)
            m_lowest = {index, value};
        if (value > m_highest.value)
            m_highest = {index, value};
    }

    void emit(std::span<const SeriesPoint> points, std::vector<SeriesPoint>& out) const
    {
        std::vector<std::size_t> keep;
        keep.reserve(7);
        if (m_first)
            keep = {*m_first, m_lowest.index, m_highest.index, m_last};
        for (const auto& slot : {m_nan, m_plus, m_minus}) {
            if (slot)
                keep.push_back(*slot);
        }
        std::sort(keep.begin(), keep.end());
        keep.erase(std::unique(keep.begin(), keep.end()), keep.end());
        for (const std::size_t index : keep)
            out.push_back(points[index]);
    }

private:
    struct Extreme
    {
        std::size_t index = 0;
        double value = 0;
    };
    std::optional<std::size_t> m_first, m_nan, m_plus, m_minus;
    std::size_t m_last = 0;
    Extreme m_lowest, m_highest;
};

} // namespace

std::vector<SeriesPoint> decimate(std::span<const SeriesPoint> points, std::size_t buckets)
{
    if (points.size() <= std::max<std::size_t>(buckets, 2) || buckets == 0)
        return {points.begin(), points.end()};
    // Ranges of steps, not of counts: a bucket is a pixel column of a chart, whatever the density of points.
    const double from = static_cast<double>(points.front().step);
    const double span = std::max(1.0, static_cast<double>(points.back().step) - from);
    const auto bucketOf = [&](std::int64_t step) {
        const double place = (static_cast<double>(step) - from) / span * static_cast<double>(buckets);
        return std::min(buckets - 1, static_cast<std::size_t>(std::max(0.0, place)));
    };
    std::vector<SeriesPoint> out;
    Bucket bucket;
    std::size_t current = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const std::size_t b = bucketOf(points[i].step);
        if (b != current) {
            bucket.emit(points, out);
            bucket = {};
            current = b;
        }
        bucket.add(i, points[i].value);
    }
    bucket.emit(points, out);
    return out;
}

} // namespace sparserl
