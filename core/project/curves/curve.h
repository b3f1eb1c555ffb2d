// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/curves/smooth.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sparserl {

/// Extremes of a range of values. Indices refer to all values; `none` if there is no such value.
struct CurveExtremes
{
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::size_t lowest = none, highest = none; ///< Extremes of the finite values.
    std::size_t nonFinite = none;              ///< The first NaN or infinite value.
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    double lowestPositive = std::numeric_limits<double>::infinity(); ///< Lower end of a logarithmic axis.
};

/// Minima and maxima of an append-only series. Answers any range from a few dozen nodes; appending costs only
/// the new values. Three bytes per value.
class MinMaxPyramid
{
public:
    /// Adds the new values; `values` holds all of them.
    void extend(std::span<const double> values);
    /// The extremes of values[begin, end).
    CurveExtremes over(std::span<const double> values, std::size_t begin, std::size_t end) const;

private:
    struct Node
    {
        double low, high, lowestPositive;
        std::uint32_t lowest, highest, nonFinite;
    };
    static void take(CurveExtremes& extremes, const Node& node);
    static Node nodeOf(const CurveExtremes& extremes);
    void rebuildFrom(std::size_t node, std::span<const double> values);

    std::vector<std::vector<Node>> m_levels; ///< From fine to coarse.
    std::size_t m_size = 0;
};

/// The points of a curve, x ascending, and optionally their moving average. Append-only. Drawing code asks
/// for extremes of ranges, other code for exact values. At most 2^32 points.
class Curve
{
public:
    enum class Values
    {
        Measured,
        Average
    };

    /// An x smaller than the last one is replaced by the last one, because clocks may go back.
    void append(double x, double y);
    void append(std::span<const double> x, std::span<const double> y);

    std::size_t size() const { return m_x.size(); }
    bool empty() const { return m_x.empty(); }
    double x(std::size_t i) const { return m_x[i]; }
    double y(std::size_t i) const { return m_y[i]; }
    double value(std::size_t i, Values which) const
    {
        return which == Values::Measured ? m_y[i] : m_averages[i];
    }

    /// Maintains the exponential moving average of every value (MovingAverage) from now on; 0 stops it.
    void setSmoothing(double weight);
    double smoothing() const { return m_average.weight(); }
    bool smoothed() const { return smoothing() > 0; }

    /// Index of the first point with this x or a larger one; size() if there is none.
    std::size_t firstFrom(double x) const;
    /// The same for an index that is at least `from` and probably near `guess`: for walking along a curve.
    std::size_t firstFrom(double x, std::size_t from, std::size_t guess) const;
    /// Index of the point with the closest x. The curve must not be empty.
    std::size_t nearest(double x) const;
    CurveExtremes extremes(std::size_t begin, std::size_t end, Values which = Values::Measured) const;

private:
    std::vector<double> m_x, m_y, m_averages;
    MinMaxPyramid m_ofY, m_ofAverages;
    MovingAverage m_average{0};
};

} // namespace sparserl
