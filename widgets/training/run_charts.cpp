// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_charts.h"

#include "project/run/metrics.h"
#include "verdict/names.h"
#include "widgets/common/format.h"
#include "widgets/common/translate.h"
#include "widgets/training/run_model.h"

#include <algorithm>

namespace sparserl {

namespace {

QString markText(const ControlEvent& event)
{
    if (event.command == "set")
        return QStringLiteral("%1 = %2").arg(toQString(event.key), toQString(event.value));
    return toQString(event.command);
}

QString splitText(const std::string& split)
{
    if (split == systemSplit)
        return tr("machine");
    return split == split::train ? tr("train") : tr("held-out");
}

/// Runs of ours have three. A journal of somebody may have thousands, with which a chart would take minutes.
constexpr std::size_t mostSplits = 8;

std::size_t splitCount(const RunCurves& curves, const std::string& metric)
{
    return static_cast<std::size_t>(std::count_if(curves.names().begin(), curves.names().end(),
                                                  [&](const auto& name) { return name.first == metric; }));
}

// The splits that the runs have of a metric, our own first; held-out lies over train.
std::vector<std::string> splitsOf(const RunCurves& curves, const std::string& metric)
{
    std::vector<std::string> splits;
    for (const auto& [name, split] : curves.names())
        if (name == metric)
            splits.push_back(split);
    const auto rank = [](const std::string& split) {
        return split == split::train ? 0 : split == split::heldOut ? 1 : split == systemSplit ? 2 : 3;
    };
    std::stable_sort(splits.begin(), splits.end(),
                     [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    splits.resize(std::min(splits.size(), mostSplits));
    return splits;
}

/// The words of a metric; its key where another one of the panel has the same.
QString nameIn(const MetricPanel& panel, std::size_t metric)
{
    const QString words = metricWords(panel.metrics[metric]);
    const auto same = std::count_if(panel.metrics.begin(), panel.metrics.end(),
                                    [&](const std::string& other) { return metricWords(other) == words; });
    return same > 1 ? toQString(panel.metrics[metric]) : words;
}

/// `several`: the chart has curves of more than one metric. `onlySplit`: the metric has no other split than
/// this.
ChartSeries seriesFor(const MetricPanel& panel, const std::vector<CurveSubject>& runs, int baseline,
                      std::size_t metric, std::size_t run, const std::string& split, bool several,
                      bool onlySplit)
{
    ChartSeries series;
    QStringList parts;
    if (runs.size() > 1 || runs[run].group >= 0)
        parts.append(toQString(runs[run].label));
    if (several)
        parts.append(nameIn(panel, metric));
    if (split != split::train ||
        (parts.isEmpty() && !onlySplit)) // what nothing else is said of is of training
        parts.append(splitText(split));
    if (parts.isEmpty()) // of a search, say, which has no other split to be told from
        parts.append(nameIn(panel, metric));
    series.name = parts.join(QStringLiteral(" · "));
    const auto order = static_cast<int>(metric);
    const bool held = split == split::heldOut;
    // One run: from its colour on, colours tell metric and split apart. Several: colour is the run, dashes
    // are the split.
    series.colour = runs[run].colour + (runs.size() > 1 ? 0 : order * 2 + (held ? 1 : 0));
    series.dash = (held ? 1 : 0) + (runs.size() > 1 && order > 0 ? 2 : 0);
    series.strong = static_cast<int>(run) == baseline;
    return series;
}

} // namespace

namespace {

/// Which curves are of one kind: a metric on a split.
struct Kind
{
    std::size_t metric = 0;
    std::string split;
    bool operator==(const Kind&) const = default;
};

/// Of several runs the legend has the runs by colour and the kinds by dashes, not every curve. `of`: run and
/// kind of each series.
QList<ChartLegendEntry> legendOf(const ChartData& chart, const std::vector<std::pair<std::size_t, Kind>>& of,
                                 const MetricPanel& panel, const std::vector<CurveSubject>& runs,
                                 int baseline, bool several)
{
    QList<ChartLegendEntry> legend;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        ChartLegendEntry entry{
            toQString(runs[run].label), {}, runs[run].colour, 0, static_cast<int>(run) == baseline};
        for (std::size_t i = 0; i < of.size(); ++i)
            if (of[i].first == run)
                entry.series.append(static_cast<int>(i));
        if (!entry.series.isEmpty())
            legend.append(entry);
    }
    std::vector<Kind> kinds;
    for (const auto& [run, kind] : of)
        if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
            kinds.push_back(kind);
    for (const Kind& kind : kinds) {
        ChartLegendEntry entry;
        QStringList parts;
        if (several)
            parts.append(toQString(panel.metrics[kind.metric]));
        if (!several || kind.split != split::train)
            parts.append(splitText(kind.split));
        entry.name = parts.join(QStringLiteral(" · "));
        for (std::size_t i = 0; i < of.size(); ++i)
            if (of[i].second == kind)
                entry.series.append(static_cast<int>(i));
        entry.dash = chart.series[entry.series.first()].dash;
        if (kinds.size() > 1)
            legend.append(entry);
    }
    return legend;
}

} // namespace

ChartData chartOf(const MetricPanel& panel, const RunCurves& curves, int baseline)
{
    const auto runs = curves.subjects();
    const bool time = curves.axis() == RunCurves::Axis::Time;
    const bool tokens = curves.axis() == RunCurves::Axis::Tokens;
    ChartData chart;
    chart.title = panel.title;
    chart.hint = panel.hint;
    const bool clock = curves.axis() == RunCurves::Axis::Clock;
    chart.xLabel = time     ? tr("time since the start")
                   : tokens ? tr("tokens")
                   : clock  ? tr("time")
                            : tr("step");
    chart.x = time ? ChartX::Seconds : clock ? ChartX::Date : ChartX::Whole;
    chart.zeroBased = panel.zeroBased;
    chart.emptyText = runs.empty()              ? tr("Select a run to see its curves.")
                      : !curves.names().empty() ? panel.missing
                      : curves.read()           ? tr("Nothing yet: values come with the first step.")
                                                : tr("Reading the project…");
    const auto has = [&](const std::string& metric) {
        const auto splits = splitsOf(curves, metric);
        return std::any_of(splits.begin(), splits.end(), [&](const std::string& split) {
            return std::any_of(runs.begin(), runs.end(), [&](const CurveSubject& run) {
                return curves.find(run, metric, split).mean != nullptr;
            });
        });
    };
    const bool several = std::count_if(panel.metrics.begin(), panel.metrics.end(), has) > 1;
    std::vector<std::pair<std::size_t, Kind>> kinds;
    for (std::size_t metric = 0; metric < panel.metrics.size(); ++metric) {
        const auto splits = splitsOf(curves, panel.metrics[metric]);
        for (const std::string& split : splits) {
            for (std::size_t run = 0; run < runs.size(); ++run) {
                CurveBand band = curves.find(runs[run], panel.metrics[metric], split);
                if (!band.mean)
                    continue;
                chart.series.append(
                    seriesFor(panel, runs, baseline, metric, run, split, several, splits.size() == 1));
                chart.series.last().curve = std::move(band.mean);
                chart.series.last().low = std::move(band.low);
                chart.series.last().high = std::move(band.high);
                kinds.emplace_back(run, Kind{metric, split});
            }
        }
    }
    for (const std::string& metric : panel.metrics)
        if (const std::size_t all = splitCount(curves, metric); all > mostSplits)
            chart.hint += tr(" (%1 of %2 splits)").arg(mostSplits).arg(all);
    if (runs.size() > 1)
        chart.legend = legendOf(chart, kinds, panel, runs, baseline, several);
    // Marks are of the first run; of a group they would be of one of many.
    for (std::size_t i = 0; i < curves.marks().size() && !runs.empty() && curves.groups().empty(); ++i)
        if (const ControlEvent& event = curves.marks()[i].event; event.outcome == control_outcome::applied)
            chart.marks.append({curves.markAt(i), markText(event)});
    if (tokens && chart.series.isEmpty() && !curves.names().empty())
        chart.emptyText = tr("None of these runs counts tokens, or none has this metric.");
    return chart;
}

std::vector<ReadoutRow> readoutRows(const std::vector<MetricPanel>& panels, const RunCurves& curves)
{
    std::vector<ReadoutRow> rows;
    const auto runs = curves.subjects();
    for (const MetricPanel& panel : panels) {
        for (const std::string& metric : panel.metrics) {
            for (const std::string& split : splitsOf(curves, metric)) {
                ReadoutRow row;
                row.metric = toQString(metric) + QStringLiteral(" · ") + splitText(split);
                bool any = false;
                for (const CurveSubject& run : runs) {
                    row.curves.push_back(curves.find(run, metric, split).mean);
                    any = any || row.curves.back();
                }
                if (any)
                    rows.push_back(std::move(row));
            }
        }
    }
    return rows;
}

} // namespace sparserl
