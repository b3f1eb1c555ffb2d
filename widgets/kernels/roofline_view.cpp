// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/roofline_view.h"

#include "project/queries/findings.h"
#include "target/workload.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/kernels/findings_view.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

void RooflineView::show(const std::optional<VerdictRecord>& record,
                        const std::optional<VerdictRecord>& baseline, std::int64_t nnz)
{
    ChartData figure;
    figure.title = tr("Roofline");
    figure.hint = tr("GFLOPS, higher is better");
    figure.xLabel = tr("FLOP per byte that must be moved");
    figure.logX = figure.logY = true;
    figure.emptyText = tr("Only correct programs are timed.");
    setNote({});
    const DeviceModel* model = record ? deviceModelOf(*record) : nullptr;
    if (!record || !record->warm || record->compulsoryBytes <= 0 || nnz <= 0 || !model) {
        if (record && record->warm)
            figure.emptyText =
                !model ? tr("The rates of %1 are not known.").arg(toQString(record->device))
                : nnz == 0
                    ? tr("The number of entries of this matrix is not known yet.")
                    : tr("The matrix is no longer in the library, so its number of entries is unknown.");
        chart()->setData(figure);
        return;
    }
    const auto intensityOf = [&](const VerdictRecord& r) {
        return workloadOf(r.target, nnz).flops() / static_cast<double>(r.compulsoryBytes);
    };
    const auto rate = [&](double microseconds) {
        return workloadOf(record->target, nnz).gflops(microseconds);
    };
    const Roofline roof = rooflineOf(*model, record->target.variant.type);
    const double x = intensityOf(*record);
    const double from = std::min(x / 8, roof.peakGflops / roof.l2GBps / 64);
    const double to = std::max(x * 8, roof.peakGflops / roof.dramGBps * 4);
    const auto slope = [&](const QString& name, double gbps, int colour, int dash) {
        ChartSeries series;
        series.name = name;
        series.colour = colour;
        series.dash = dash;
        series.curve->append(from, from * gbps);
        series.curve->append(roof.peakGflops / gbps, roof.peakGflops);
        series.curve->append(to, roof.peakGflops);
        figure.series.append(series);
    };
    // Short names: a low chart cuts long ones. The note has the rates.
    slope(tr("DRAM"), roof.dramGBps, -1, 0);
    slope(tr("L2"), roof.l2GBps, -1, 1);
    const auto point = [&](const QString& name, double at, double value, int colour) {
        ChartSeries series;
        series.name = name;
        series.kind = ChartKind::LinesAndPoints;
        series.colour = colour;
        series.curve->append(at, value);
        figure.series.append(series);
    };
    if (record->cold)
        point(tr("cold"), x, rate(record->cold->median), 1);
    const bool sameTarget = baseline && baseline->target == record->target;
    // The baseline is a larger point below: it is seen around the program's own where both are as fast.
    if (baseline && baseline->warm && sameTarget) {
        point(tr("baseline"), x, rate(baseline->warm->median), 2);
        figure.series.last().strong = true;
    } else if (!baseline && record->baselineMicroseconds > 0) {
        point(tr("baseline"), x, rate(record->baselineMicroseconds), 2);
        figure.series.last().strong = true;
    }
    point(tr("warm"), x, rate(record->warm->median), 0); // last: above what is near it
    chart()->setData(figure);
    chart()->showAll();
    const TimeShares shares = timeShares(*record, *model);
    QStringList parts;
    const std::pair<TimeLimit, QString> names[] = {{TimeLimit::Launch, tr("launch")},
                                                   {TimeLimit::Dram, tr("DRAM")},
                                                   {TimeLimit::L2, tr("L2")},
                                                   {TimeLimit::L1, tr("L1")},
                                                   {TimeLimit::Issue, tr("instructions")}};
    for (const auto& [limit, name] : names)
        if (shares[limit] > 0)
            parts.append(QStringLiteral("%1 %2").arg(name, formatPercent(shares[limit])));
    QString note = tr("Times are warm and cold for this program, and warm for the baseline. DRAM has %1 "
                      "GB/s, L2 has %2 GB/s.")
                       .arg(formatNumber(roof.dramGBps, 4), formatNumber(roof.l2GBps, 4));
    note +=
        QLatin1Char(' ') +
        tr("Share of the time that each unit alone would need: %1.").arg(parts.join(QStringLiteral(", ")));
    if (record->occupancy > 0)
        note += QLatin1Char(' ') + occupancyText(record->occupancy, record->occupancyLimiter);
    if (baseline && !sameTarget)
        note += QLatin1Char(' ') + tr("The baseline was timed on another target and is not drawn.");
    setNote(note);
}

} // namespace sparserl
