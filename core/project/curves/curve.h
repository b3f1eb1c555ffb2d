// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/curves/smooth.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sparserl {

/// The extremes of a range of values. Indices refer to the whole series. An index is `none` if the range
/// contains no such value.
struct CurveExtremes
{
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::size_t lowest = none, highest = none; ///< Indices of the smallest and the largest finite value.
    std::size_t nonFinite = none;              ///< Index of the first NaN or infinite value.
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    /// The smallest positive value, for a logarithmic axis.
    double lowestPositive = std::numeric_limits<double>::infinity();
};

/// Finds the minima and maxima of ranges in a series that only grows. A query reads a few dozen nodes, and
/// the time to append depends only on the number of new values. Needs three bytes per value.
class MinMaxPyramid
{
public:
    /// Adds the values at the end of `values`, which is the whole series, old values included.
    void extend(std::span<const double> values);
    /// Returns the extremes of the values from index `begin` to the one before `end`.
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

    std::vector<std::vector<Node>> m_levels; ///< The finest level comes first.
    std::size_t m_size = 0;
};

/// The points of a curve, in ascending order of x, and optionally their moving average. Points can only be
/// appended, at most 2^32 of them. Code that draws a curve asks for the extremes of ranges; other code asks
/// for exact values.
class Curve
{
public:
    enum class Values
    {
        Measured,
        Average
    };

    /// Appends a point. If x is smaller than the last x, uses the last x instead, because clocks may go back.
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

    /// Computes the exponential moving average (MovingAverage) of all points and of points that are appended
    /// later. A weight of 0 switches this off.
    void setSmoothing(double weight);
    double smoothing() const { return m_average.weight(); }
    bool smoothed() const { return smoothing() > 0; }

    /// Returns the index of the first point whose x is at least `x`, or size() if there is none.
    std::size_t firstFrom(double x) const;
    /// Returns the same index, which must be at least `from`. Searches from `guess`, which takes little time
    /// if the result is near. For callers that walk along a curve.
    std::size_t firstFrom(double x, std::size_t from, std::size_t guess) const;
    /// Returns the index of the point whose x is closest. The curve must not be empty.
    std::size_t nearest(double x) const;
    CurveExtremes extremes(std::size_t begin, std::size_t end, Values which = Values::Measured) const;

private:
    std::vector<double> m_x, m_y, m_averages;
    MinMaxPyramid m_ofY, m_ofAverages;
    MovingAverage m_average{0};
};

} // namespace sparserl
