// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/chart_arrangement.h"

#include "widgets/common/format.h"

#include <algorithm>
#include <utility>

namespace sparserl {

namespace {

constexpr QLatin1String chartLine("@chart="), hiddenLine("@hidden=");

} // namespace

std::vector<MetricPanel> ChartArrangement::arranged(const std::vector<MetricPanel>& panels) const
{
    std::vector<std::pair<std::size_t, MetricPanel>> placed;
    std::size_t place = 0;
    for (const MetricPanel& panel : panels) {
        const auto at = std::find(m_order.begin(), m_order.end(), keyOf(panel));
        if (at != m_order.end())
            place = static_cast<std::size_t>(at - m_order.begin());
        else if (!placed.empty())
            place = placed.back().first;
        if (!hides(keyOf(panel)))
            placed.emplace_back(place, panel);
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<MetricPanel> result;
    result.reserve(placed.size());
    for (auto& [at, panel] : placed)
        result.push_back(std::move(panel));
    return result;
}

void ChartArrangement::move(const std::vector<MetricPanel>& shown, std::size_t from, std::size_t to)
{
    if (from >= shown.size() || to >= shown.size() || from == to)
        return;
    std::vector<std::string> order;
    order.reserve(shown.size());
    for (const MetricPanel& panel : shown)
        order.push_back(keyOf(panel));
    std::string moved = std::move(order[from]);
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), std::move(moved));
    // Those of other stages stay behind them, as they were.
    for (std::string& key : m_order)
        if (std::find(order.begin(), order.end(), key) == order.end())
            order.push_back(std::move(key));
    m_order = std::move(order);
}

void ChartArrangement::setHidden(const std::string& key, bool on)
{
    if (on)
        m_hidden.insert(key);
    else
        m_hidden.erase(key);
}

QStringList ChartArrangement::lines() const
{
    QStringList lines;
    for (const std::string& key : m_order)
        lines.append(chartLine + toQString(key));
    for (const std::string& key : m_hidden)
        lines.append(hiddenLine + toQString(key));
    return lines;
}

ChartArrangement ChartArrangement::fromLines(const QStringList& lines)
{
    ChartArrangement arrangement;
    for (const QString& line : lines) {
        if (line.startsWith(chartLine))
            arrangement.m_order.push_back(line.mid(chartLine.size()).toStdString());
        else if (line.startsWith(hiddenLine))
            arrangement.m_hidden.insert(line.mid(hiddenLine.size()).toStdString());
    }
    return arrangement;
}

} // namespace sparserl
