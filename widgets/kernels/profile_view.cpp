// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/profile_view.h"

#include "widgets/common/chart_widget.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/target_text.h"
#include "widgets/kernels/profile_rows.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace sparserl {

ProfileView::ProfileView(QWidget* parent)
    : QWidget(parent)
    , m_chart(new ChartWidget(this))
    , m_table(new QTableWidget(0, 4, this))
    , m_evidence(makeMuted({}, this))
{
    m_chart->setFramed(false);
    styleTable(m_table, 9);
    m_table->setHorizontalHeaderLabels({tr("Measure"), tr("This program"), tr("Baseline"), tr("Difference")});
    m_table->viewport()->installEventFilter(this);
    for (int column = 1; column < 4; ++column)
        m_table->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
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

void ProfileView::show(const std::optional<VerdictRecord>& record,
                       const std::optional<VerdictRecord>& baseline)
{
    m_table->setRowCount(0);
    m_comparing = baseline.has_value();
    ChartData nothing;
    nothing.title = tr("Time of one call");
    nothing.emptyText =
        record ? tr("Only correct programs are timed.") : tr("This program has not been judged yet.");
    m_chart->setData(nothing);
    m_evidence->setText({});
    if (record)
        fillTable(*record, baseline);
    m_table->setVisible(m_table->rowCount() > 0);
    share();
    if (!record)
        return;
    if (record->warm)
        fillChart(*record, baseline);
    QStringList evidence{tr("Device: %1.").arg(toQString(record->device))};
    if (baseline)
        evidence.append(tr("Baseline: program %1 on %2, %3.")
                            .arg(shortHash(baseline->programHash), targetText(baseline->target),
                                 toQString(baseline->device)));
    else if (record->baselineMicroseconds > 0)
        evidence.append(tr("Baseline: %1, %2.")
                            .arg(toQString(record->baselineName), toQString(record->baselineAlgorithm)));
    if (baseline && !baseline->target.sameContents(record->target))
        evidence.append(
            tr("The programs ran on different matrices: compare speed-ups and shares, not times."));
    else if (baseline && !baseline->target.sameVariant(record->target))
        evidence.append(tr(
            "The programs ran with different numbers of columns: compare speed-ups and shares, not times."));
    if (record->simulated)
        evidence.append(tr("Times come from the cost model of the simulated device."));
    m_evidence->setText(evidence.join(QLatin1Char(' ')));
}

void ProfileView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    share();
}

bool ProfileView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange)
        arrange();
    return QWidget::eventFilter(watched, event);
}

// With two programs in the table its names would have no room beside the chart.
void ProfileView::share()
{
    const int both = m_comparing ? 860 : 720; // what table and chart need beside each other
    m_chart->setVisible(width() >= both || m_table->isHidden()); // which says why there is no row
    arrange();
}

// Names take what is left. Where nothing is, the longer of the two values of a row end in dots (their tool
// tips have them whole), rather than the names, the difference or a head. Below half of that the table
// scrolls.
void ProfileView::arrange()
{
    QHeaderView* header = m_table->horizontalHeader();
    int widths[4], room = m_table->viewport()->width();
    for (int column = 0; column < 4; ++column) {
        const int contents = static_cast<QAbstractItemView*>(m_table)->sizeHintForColumn(column);
        widths[column] = std::max(contents, header->sectionSizeHint(column));
        room -= widths[column];
    }
    if (room < 0) {
        const int both = std::max((widths[1] + widths[2]) / 2, widths[1] + widths[2] + room);
        int& wider = widths[1] > widths[2] ? widths[1] : widths[2];
        int& other = widths[1] > widths[2] ? widths[2] : widths[1];
        other = std::min(other, both / 2);
        wider = both - other;
        for (const int column : {1, 2})
            widths[column] = std::max(widths[column], header->sectionSizeHint(column));
    }
    widths[0] += std::max(0, room);
    for (int column = 0; column < 4; ++column)
        header->resizeSection(column, widths[column]);
}

void ProfileView::fillTable(const VerdictRecord& record, const std::optional<VerdictRecord>& baseline)
{
    std::vector<ProfileRow> rows = profileRows(record);
    const std::vector<ProfileRow> others = baseline ? profileRows(*baseline) : baselineRows(record);
    const auto named = [](const std::vector<ProfileRow>& list, const QString& name) {
        return std::find_if(list.begin(), list.end(), [&](const ProfileRow& r) { return r.name == name; });
    };
    const bool sameTarget = !baseline || baseline->target == record.target;
    for (const ProfileRow& other : others) // what only the other one has
        if (named(rows, other.name) == rows.end())
            rows.push_back({other.name, QStringLiteral("–"), other.help});
    m_table->setRowCount(static_cast<int>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const ProfileRow& row = rows[i];
        const auto other = named(others, row.name);
        const bool both = other != others.end(), compared = both && (sameTarget || !row.ofTarget);
        const QString texts[] = {row.name, row.text, both ? other->text : QStringLiteral("–"),
                                 compared ? deltaText(row, *other) : QString()};
        for (int column = 0; column < 4; ++column) {
            auto* item = new QTableWidgetItem(texts[column]);
            item->setToolTip(column == 0 ? row.help : QStringLiteral("%1. %2").arg(texts[column], row.help));
            if (column > 0)
                item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            if (column == 3 && compared)
                if (const int sign = deltaSign(row, *other); sign != 0)
                    item->setData(TextToneRole, static_cast<int>(sign > 0 ? Tone::Good : Tone::Bad));
            m_table->setItem(static_cast<int>(i), column, item);
        }
    }
}

void ProfileView::fillChart(const VerdictRecord& r, const std::optional<VerdictRecord>& baseline)
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
    const double other = !baseline        ? r.baselineMicroseconds
                         : baseline->warm ? baseline->warm->median
                                          : 0; // both are warm times
    if (other > 0) {
        add(tr("baseline"), other);
        chart.reference = other;
    }
    chart.series.append(bars);
    m_chart->setData(chart);
    m_chart->showAll();
}

} // namespace sparserl
