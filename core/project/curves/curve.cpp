// SPDX-License-Identifier: Apache-2.0
#include "project/curves/curve.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

constexpr std::size_t valuesPerNode = 16, nodesPerNode = 8;
constexpr auto noIndex = std::numeric_limits<std::uint32_t>::max();

void take(CurveExtremes& extremes, double value, std::size_t index)
{
    if (!std::isfinite(value)) {
        extremes.nonFinite = std::min(extremes.nonFinite, index);
        return;
    }
    if (value < extremes.low) {
        extremes.low = value;
        extremes.lowest = index;
    }
    if (value > extremes.high) {
        extremes.high = value;
        extremes.highest = index;
    }
    if (value > 0)
        extremes.lowestPositive = std::min(extremes.lowestPositive, value);
}

std::uint32_t narrow(std::size_t index)
{
    return index == CurveExtremes::none ? noIndex : static_cast<std::uint32_t>(index);
}

} // namespace

void MinMaxPyramid::take(CurveExtremes& extremes, const Node& node)
{
    if (node.nonFinite != noIndex)
        extremes.nonFinite = std::min<std::size_t>(extremes.nonFinite, node.nonFinite);
    if (node.lowest == noIndex)
        return;
    if (node.low < extremes.low) {
        extremes.low = node.low;
        extremes.lowest = node.lowest;
    }
    if (node.high > extremes.high) {
        extremes.high = node.high;
        extremes.highest = node.highest;
    }
    extremes.lowestPositive = std::min(extremes.lowestPositive, node.lowestPositive);
}

MinMaxPyramid::Node MinMaxPyramid::nodeOf(const CurveExtremes& extremes)
{
    return {extremes.low,
            extremes.high,
            extremes.lowestPositive,
            narrow(extremes.lowest),
            narrow(extremes.highest),
            narrow(extremes.nonFinite)};
}

void MinMaxPyramid::rebuildFrom(std::size_t node, std::span<const double> values)
{
    if (m_levels.empty())
        m_levels.emplace_back();
    m_levels[0].resize(node);
    for (std::size_t begin = node * valuesPerNode; begin < values.size(); begin += valuesPerNode) {
        CurveExtremes extremes;
        for (std::size_t i = begin; i < std::min(begin + valuesPerNode, values.size()); ++i)
            sparserl::take(extremes, values[i], i);
        m_levels[0].push_back(nodeOf(extremes));
    }
    for (std::size_t level = 1; m_levels[level - 1].size() > nodesPerNode; ++level) {
        if (level == m_levels.size())
            m_levels.emplace_back();
        const std::vector<Node>& fine = m_levels[level - 1];
        node = std::min(node / nodesPerNode, m_levels[level].size());
        m_levels[level].resize(node);
        for (std::size_t begin = node * nodesPerNode; begin < fine.size(); begin += nodesPerNode) {
            CurveExtremes extremes;
            for (std::size_t i = begin; i < std::min(begin + nodesPerNode, fine.size()); ++i)
                take(extremes, fine[i]);
            m_levels[level].push_back(nodeOf(extremes));
        }
    }
}

void MinMaxPyramid::extend(std::span<const double> values)
{
    if (values.size() == m_size)
        return;
    rebuildFrom(m_size / valuesPerNode, values);
    m_size = values.size();
}

CurveExtremes MinMaxPyramid::over(std::span<const double> values, std::size_t begin, std::size_t end) const
{
    CurveExtremes extremes;
    end = std::min(end, m_size);
    for (; begin < end && begin % valuesPerNode != 0; ++begin)
        sparserl::take(extremes, values[begin], begin);
    for (; end > begin && end % valuesPerNode != 0; --end)
        sparserl::take(extremes, values[end - 1], end - 1);
    begin /= valuesPerNode;
    end /= valuesPerNode;
    for (std::size_t level = 0; begin < end; ++level) {
        const std::vector<Node>& nodes = m_levels[level];
        const bool last = level + 1 == m_levels.size();
        for (; begin < end && (last || begin % nodesPerNode != 0); ++begin)
            take(extremes, nodes[begin]);
        for (; end > begin && end % nodesPerNode != 0; --end)
            take(extremes, nodes[end - 1]);
        begin /= nodesPerNode;
        end /= nodesPerNode;
    }
    return extremes;
}

void Curve::append(double x, double y)
{
    append({&x, 1}, {&y, 1});
}

void Curve::append(std::span<const double> x, std::span<const double> y)
{
    const std::size_t count = std::min(x.size(), y.size());
    double last = m_x.empty() ? -std::numeric_limits<double>::infinity() : m_x.back();
    for (std::size_t i = 0; i < count; ++i) {
        last = std::max(last, x[i]);
        m_x.push_back(last);
    }
    m_y.insert(m_y.end(), y.begin(), y.begin() + static_cast<std::ptrdiff_t>(count));
    m_ofY.extend(m_y);
    if (!smoothed())
        return;
    for (const double value : y.first(count))
        m_averages.push_back(m_average.next(value));
    m_ofAverages.extend(m_averages);
}

void Curve::setSmoothing(double weight)
{
    if (weight == m_average.weight())
        return;
    m_average = MovingAverage(weight);
    m_averages = {};
    m_ofAverages = {};
    if (weight <= 0)
        return;
    m_averages.reserve(m_y.size());
    for (const double value : m_y)
        m_averages.push_back(m_average.next(value));
    m_ofAverages.extend(m_averages);
}

std::size_t Curve::firstFrom(double x) const
{
    return static_cast<std::size_t>(std::lower_bound(m_x.begin(), m_x.end(), x) - m_x.begin());
}

std::size_t Curve::firstFrom(double x, std::size_t from, std::size_t guess) const
{
    // Ever longer steps away from the guess, until x is between two of them.
    std::size_t low = std::clamp(guess, from, m_x.size()), high = low;
    for (std::size_t stride = 1; low > from && m_x[low - 1] >= x; stride *= 4) {
        high = low;
        low -= std::min(stride, low - from);
    }
    for (std::size_t stride = 1; high < m_x.size() && m_x[high] < x; stride *= 4) {
        low = high + 1;
        high += std::min(stride, m_x.size() - high);
    }
    const auto at = [this](std::size_t i) { return m_x.begin() + static_cast<std::ptrdiff_t>(i); };
    return static_cast<std::size_t>(std::lower_bound(at(std::min(low, high)), at(high), x) - m_x.begin());
}

std::size_t Curve::nearest(double x) const
{
    const std::size_t at = firstFrom(x);
    if (at == m_x.size())
        return at - 1;
    return at > 0 && x - m_x[at - 1] < m_x[at] - x ? at - 1 : at;
}

CurveExtremes Curve::extremes(std::size_t begin, std::size_t end, Values which) const
{
    return which == Values::Measured ? m_ofY.over(m_y, begin, end)
                                     : m_ofAverages.over(m_averages, begin, end);
}

} // namespace sparserl
