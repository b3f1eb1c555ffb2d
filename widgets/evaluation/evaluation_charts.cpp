// SPDX-License-Identifier: Apache-2.0
#include "widgets/evaluation/evaluation_charts.h"

#include "widgets/common/format.h"
#include "widgets/common/translate.h"

#include <algorithm>
#include <array>

namespace sparserl {

namespace {

/// pass@k changes most where k is small: with more programs than these k goes by decades.
constexpr std::size_t linearUpTo = 50;

ChartSeries seriesOf(const EvaluationView& view, std::size_t i, ChartKind kind)
{
    ChartSeries series;
    series.name = toQString(view.results[i].label);
    series.kind = kind;
    series.colour = view.colours[i];
    return series;
}

QString nothingYet(const EvaluationView& view)
{
    return view.results.empty()
               ? tr("No policy is ticked in the list above.")
               : tr("No ticked policy was evaluated on matrices of this split. Choose another split above.");
}

/// Only correct programs have GFLOPS.
QString noneCorrect(const EvaluationView& view)
{
    const bool evaluated = std::any_of(view.results.begin(), view.results.end(),
                                       [](const EvaluationResult& result) { return !result.rows.empty(); });
    return evaluated ? tr("No ticked policy has a correct program on these matrices.") : nothingYet(view);
}

} // namespace

QString splitName(const QString& split)
{
    if (split == QLatin1String("held-out"))
        return tr("Held-out");
    if (split == QLatin1String("train"))
        return tr("Training");
    return split;
}

ChartData passChart(const EvaluationView& view)
{
    ChartData chart;
    chart.title = tr("pass@k");
    chart.hint =
        view.choice.fasterOnly ? tr("%, correct and faster; higher is better") : tr("%, higher is better");
    chart.xLabel = tr("k: programs drawn");
    chart.x = ChartX::Whole;
    chart.zeroBased = true;
    chart.mostY = 100;
    chart.emptyText = nothingYet(view);
    for (std::size_t i = 0; i < view.results.size(); ++i) {
        ChartSeries series = seriesOf(view, i, ChartKind::Lines);
        series.dash = static_cast<int>(i % 4); // told apart without colours, too
        for (std::size_t k = 0; k < view.passes[i].size(); ++k)
            series.curve->append(static_cast<double>(k + 1), 100 * view.passes[i][k]);
        chart.logX = chart.logX || view.passes[i].size() > linearUpTo;
        chart.series.append(series);
    }
    return chart;
}

ChartData ratesChart(const EvaluationView& view)
{
    ChartData chart;
    chart.title = tr("Rates by split");
    chart.hint = tr("%, higher is better");
    chart.zeroBased = true;
    chart.mostY = 100;
    chart.emptyText = nothingYet(view);
    QStringList splits;
    for (const auto& rates : view.rates)
        for (const SplitRates& rate : rates)
            if (!splits.contains(toQString(rate.split)))
                splits.append(toQString(rate.split));
    struct Rate
    {
        QString name;
        double SplitRates::*share;
    };
    const std::array<Rate, 3> measures{{{tr("compiled"), &SplitRates::compiled},
                                        {tr("correct"), &SplitRates::correct},
                                        {tr("faster"), &SplitRates::faster}}};
    for (const Rate& measure : measures)
        for (const QString& split : splits)
            chart.categories.append(QStringLiteral("%1\n%2").arg(measure.name, splitName(split).toLower()));
    for (std::size_t i = 0; i < view.results.size(); ++i) {
        ChartSeries bars = seriesOf(view, i, ChartKind::Bars);
        double x = 0;
        for (const Rate& measure : measures) {
            for (const QString& split : splits) {
                const auto rate =
                    std::find_if(view.rates[i].begin(), view.rates[i].end(),
                                 [&](const SplitRates& r) { return toQString(r.split) == split; });
                if (rate != view.rates[i].end())
                    bars.curve->append(x, 100 * ((*rate).*measure.share));
                ++x;
            }
        }
        chart.series.append(bars);
    }
    return chart;
}

ChartData boxChart(const EvaluationView& view)
{
    ChartData chart;
    chart.title = tr("GFLOPS by non-zeros");
    chart.hint = tr("higher is better; whiskers reach the extremes");
    chart.xLabel = tr("non-zeros");
    chart.leftLabel = tr("GFLOPS");
    chart.zeroBased = true;
    chart.emptyText = noneCorrect(view);
    for (const SizeBoxes& bin : view.boxes)
        chart.categories.append(toQString(bin.bin));
    const auto add = [&](ChartSeries& series, std::size_t at, const BoxFigures& box) {
        if (box.count == 0)
            return;
        series.curve->append(static_cast<double>(at), box.median);
        series.boxes.append({box.low, box.lowerQuartile, box.upperQuartile, box.high, box.count});
    };
    for (std::size_t i = 0; i < view.results.size(); ++i) {
        ChartSeries series = seriesOf(view, i, ChartKind::Boxes);
        for (std::size_t b = 0; b < view.boxes.size(); ++b)
            add(series, b, view.boxes[b].policies[i].box);
        chart.series.append(series);
    }
    ChartSeries baseline;
    baseline.name = tr("Baseline");
    for (const BoxLine& line : view.boxLines())
        if (!line.colour)
            baseline.name = line.label;
    baseline.kind = ChartKind::Boxes;
    baseline.colour = -1;
    for (std::size_t b = 0; b < view.boxes.size(); ++b)
        add(baseline, b, view.boxes[b].baseline);
    if (!baseline.curve->empty())
        chart.series.append(baseline);
    return chart;
}

} // namespace sparserl
