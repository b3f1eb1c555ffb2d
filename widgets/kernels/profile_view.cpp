// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/profile_view.h"

#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>

namespace sparserl {

namespace {

QString spread(const Timing& t)
{
    return ProfileView::tr("%1 – %2, n = %3")
        .arg(formatMicroseconds(t.q25), formatMicroseconds(t.q75))
        .arg(t.n);
}

} // namespace

ProfileView::ProfileView(QWidget* parent)
    : QWidget(parent)
    , m_chart(new ChartWidget(this))
    , m_table(new QTableWidget(0, 3, this))
    , m_evidence(makeMuted({}, this))
{
    m_chart->setFramed(false);
    styleTable(m_table);
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 9);
    m_table->setHorizontalHeaderLabels({tr("Measure"), tr("This program"), tr("Baseline")});
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
    m_table->setAccessibleName(tr("Profile"));
    m_evidence->setWordWrap(true);
    m_evidence->setContentsMargins(12, 4, 12, 6);
    auto* across = new QHBoxLayout;
    across->setContentsMargins(0, 0, 0, 0);
    across->setSpacing(0);
    across->addWidget(m_table, 5);
    across->addWidget(m_chart, 4);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(across, 1);
    layout->addWidget(m_evidence);
}

void ProfileView::addRow(const QString& name, const QString& value, const QString& baseline,
                         const QString& help)
{
    const int row = m_table->rowCount();
    m_table->insertRow(row);
    const QString texts[] = {name, value, baseline};
    for (int column = 0; column < 3; ++column) {
        auto* item = new QTableWidgetItem(texts[column]);
        item->setToolTip(help);
        if (column > 0)
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        m_table->setItem(row, column, item);
    }
}

void ProfileView::show(const std::optional<VerdictRecord>& record)
{
    m_table->setRowCount(0);
    ChartData nothing;
    nothing.title = tr("Time of one call");
    nothing.emptyText =
        record ? tr("Only correct programs are timed.") : tr("This program was not judged yet.");
    m_chart->setData(nothing);
    m_evidence->setText({});
    m_table->hide();
    if (!record)
        return;
    fillTable(*record);
    m_table->setVisible(m_table->rowCount() > 0);
    if (record->warm)
        fillChart(*record);
    QStringList evidence{tr("Device: %1.").arg(toQString(record->device))};
    if (record->baselineMicroseconds > 0)
        evidence.append(tr("Baseline: %1, %2.")
                            .arg(toQString(record->baselineName), toQString(record->baselineAlgorithm)));
    if (record->simulated)
        evidence.append(tr("Times come from the cost model of the simulated device."));
    m_evidence->setText(evidence.join(QLatin1Char(' ')));
}

void ProfileView::fillTable(const VerdictRecord& r)
{
    const QString none = QStringLiteral("–");
    if (r.warm) {
        addRow(tr("Warm time"), formatMicroseconds(r.warm->median),
               r.baselineMicroseconds > 0 ? formatMicroseconds(r.baselineMicroseconds) : none,
               tr("Median; matrix resident in the cache; lower is better."));
        if (r.warm->n > 1)
            addRow(tr("Quartiles"), spread(*r.warm), none,
                   tr("Of the warm time; n is the number of timings."));
        if (r.cold)
            addRow(tr("Cold time"), formatMicroseconds(r.cold->median), none,
                   tr("Median; caches emptied before the call; lower is better."));
        addRow(tr("Speed-up"), formatRatio(r.speedup()), r.baselineMicroseconds > 0 ? formatRatio(1) : none,
               tr("Baseline time over its own; higher is better."));
        addRow(tr("Share of the limit"), formatPercent(r.shareOfLimit), none,
               tr("Time that moving the compulsory bytes would take, over the measured time; 100 % cannot be "
                  "beaten."));
        const double gain = r.baselineMicroseconds - r.warm->median;
        QString breakEven = none;
        if (r.setupMicroseconds > 0 && r.baselineMicroseconds > 0)
            breakEven =
                gain > 0 ? tr("after %1 calls").arg(formatShortCount(std::ceil(r.setupMicroseconds / gain)))
                         : tr("never");
        addRow(tr("Set-up"), r.setupMicroseconds > 0 ? formatMicroseconds(r.setupMicroseconds) : tr("none"),
               none, tr("Building the storage formats and running the prepare kernels, once."));
        addRow(tr("Set-up pays off"), r.setupMicroseconds > 0 ? breakEven : tr("at once"), none,
               tr("Number of calls from which set-up plus this program is faster than the baseline."));
    }
    if (r.compulsoryBytes > 0)
        addRow(tr("Bytes to move"), formatBytes(static_cast<double>(r.compulsoryBytes)), none,
               tr("What any program has to move: the matrix, x and y."));
    if (r.registers > 0) {
        addRow(tr("Registers"), formatCount(r.registers), none, tr("Per thread; most of all kernels."));
        addRow(tr("Shared memory"), formatBytes(static_cast<double>(r.staticShared + r.dynamicShared)), none,
               tr("Static and dynamic, per block."));
        if (r.localBytes > 0)
            addRow(tr("Local memory"), formatBytes(static_cast<double>(r.localBytes)), none,
                   tr("Per thread; registers that were spilled live here."));
    }
    if (r.occupancy > 0) {
        addRow(tr("Occupancy"), formatPercent(r.occupancy), none,
               tr("Warps that fit on a multiprocessor at once, of the most possible."));
        if (!r.occupancyLimiter.empty())
            addRow(tr("Limited by"), toQString(r.occupancyLimiter), none,
                   tr("What keeps occupancy from being higher."));
    }
    LineCounters sum;
    for (const LineCounters& line : r.lines) {
        sum.warpInstructions += line.warpInstructions;
        sum.threadInstructions += line.threadInstructions;
        sum.globalSectors += line.globalSectors;
        sum.l1Hits += line.l1Hits;
        sum.l2Hits += line.l2Hits;
        sum.dramSectors += line.dramSectors;
        sum.bankConflicts += line.bankConflicts;
        sum.atomics += line.atomics;
    }
    if (sum.warpInstructions == 0)
        return;
    const auto count = [](std::int64_t v) { return formatShortCount(static_cast<double>(v)); };
    addRow(tr("Warp instructions"), count(sum.warpInstructions), none, tr("Issued in all."));
    addRow(tr("Lanes at work"),
           formatPercent(static_cast<double>(sum.threadInstructions) /
                         (32.0 * static_cast<double>(sum.warpInstructions))),
           none, tr("Of 32 in each warp, on average; below 100 % is divergence or idle lanes."));
    if (sum.globalSectors > 0) {
        addRow(tr("Global sectors"), count(sum.globalSectors), none,
               tr("Of 32 bytes, asked for by loads and stores."));
        addRow(
            tr("From L1 · L2 · DRAM"),
            QStringLiteral("%1 · %2 · %3").arg(count(sum.l1Hits), count(sum.l2Hits), count(sum.dramSectors)),
            none, tr("Sectors by where they were found."));
    }
    if (sum.bankConflicts > 0)
        addRow(tr("Bank conflicts"), count(sum.bankConflicts), none, tr("Extra passes over shared memory."));
    if (sum.atomics > 0)
        addRow(tr("Atomics"), count(sum.atomics), none, tr("Atomic operations."));
}

void ProfileView::fillChart(const VerdictRecord& r)
{
    ChartData chart;
    chart.title = tr("Time of one call");
    chart.hint = tr("µs, lower is better");
    chart.zeroBased = true;
    ChartSeries bars;
    bars.name = tr("time");
    bars.kind = ChartKind::Bars;
    const auto add = [&](const QString& name, double value) {
        bars.labels.append(name);
        bars.curve->append(static_cast<double>(bars.size()), value);
    };
    if (r.shareOfLimit > 0)
        add(tr("limit"), r.warm->median * r.shareOfLimit);
    add(tr("warm"), r.warm->median);
    if (r.cold)
        add(tr("cold"), r.cold->median);
    if (r.baselineMicroseconds > 0) {
        add(tr("baseline"), r.baselineMicroseconds);
        chart.reference = r.baselineMicroseconds;
    }
    chart.series.append(bars);
    m_chart->setData(chart);
    m_chart->showAll();
}

} // namespace sparserl
