// SPDX-License-Identifier: Apache-2.0
#include "project/curves/curve_band.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sparserl {

namespace {

constexpr std::size_t mostPoints = 4'000'000;

/// Walks along a curve with ascending x.
class Walker
{
public:
    explicit Walker(const Curve& curve)
        : m_curve(curve)
    {
    }

    /// Nothing before the first and behind the last point.
    std::optional<double> at(double x)
    {
        while (m_next < m_curve.size() && m_curve.x(m_next) < x)
            ++m_next;
        if (m_next == m_curve.size())
            return std::nullopt;
        if (m_curve.x(m_next) == x) {
            // Of several points with one x the last counts.
            std::size_t last = m_next;
            while (last + 1 < m_curve.size() && m_curve.x(last + 1) == x)
                ++last;
            return m_curve.y(last);
        }
        if (m_next == 0)
            return std::nullopt;
        const double x0 = m_curve.x(m_next - 1), x1 = m_curve.x(m_next);
        const double y0 = m_curve.y(m_next - 1), y1 = m_curve.y(m_next);
        // What is not finite is seen where it is, not around it.
        if (!std::isfinite(y0) || !std::isfinite(y1))
            return std::nullopt;
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
    }

private:
    const Curve& m_curve;
    std::size_t m_next = 0;
};

std::vector<double> positions(const std::vector<std::shared_ptr<const Curve>>& curves)
{
    std::size_t points = 0, longest = 0;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        points += curves[i]->size();
        longest = curves[i]->size() > curves[longest]->size() ? i : longest;
    }
    std::vector<double> xs;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        if (points > mostPoints && i != longest)
            continue;
        for (std::size_t at = 0; at < curves[i]->size(); ++at)
            xs.push_back(curves[i]->x(at));
    }
    std::sort(xs.begin(), xs.end());
    xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
    return xs;
}

} // namespace

CurveBand bandOf(const std::vector<std::shared_ptr<const Curve>>& curves)
{
    CurveBand band;
    if (curves.empty())
        return band;
    band.mean = std::make_shared<Curve>();
    if (curves.size() > 1) {
        band.low = std::make_shared<Curve>();
        band.high = std::make_shared<Curve>();
    }
    std::vector<Walker> walkers;
    walkers.reserve(curves.size());
    for (const auto& curve : curves)
        walkers.emplace_back(*curve);
    std::vector<double> xs = positions(curves), means, lows, highs;
    std::vector<double> kept;
    for (const double x : xs) {
        double sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
        std::size_t count = 0;
        for (Walker& walker : walkers) {
            const auto y = walker.at(x);
            if (!y)
                continue;
            sum += std::isfinite(*y) ? *y : std::nan("");
            low = std::min(low, *y);
            high = std::max(high, *y);
            ++count;
        }
        if (count == 0)
            continue;
        const double mean = sum / static_cast<double>(count);
        kept.push_back(x);
        means.push_back(mean);
        lows.push_back(std::isfinite(mean) ? low : std::nan(""));
        highs.push_back(std::isfinite(mean) ? high : std::nan(""));
    }
    band.mean->append(kept, means);
    if (band.low) {
        band.low->append(kept, lows);
        band.high->append(kept, highs);
    }
    return band;
}

} // namespace sparserl
