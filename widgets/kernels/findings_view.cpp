// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/findings_view.h"

#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/common/translate.h"

#include <QLabel>
#include <QListWidget>
#include <QVBoxLayout>

namespace sparserl {

namespace {

constexpr int lineRole = Qt::UserRole;

QString limiterText(const Finding& finding)
{
    const QString share = formatPercent(finding.value);
    switch (finding.limit) {
    case TimeLimit::Launch:
        return tr("Limited by the launch: starting one kernel takes %1 of the time. With a larger "
                  "matrix, this share would be smaller. If the program has several launches, fewer launches "
                  "would also reduce it.")
            .arg(share);
    case TimeLimit::Dram:
        return tr("Limited by DRAM: moving bytes to and from DRAM alone takes %1 of the time.").arg(share);
    case TimeLimit::L2:
        return tr("Limited by L2: moving the sectors that miss L1 takes %1 of the time by itself.")
            .arg(share);
    case TimeLimit::L1:
        return tr("Limited by L1: moving the sectors that loads and stores request takes %1 of the time by "
                  "itself.")
            .arg(share);
    case TimeLimit::Issue:
        return tr("Limited by the instruction rate: issuing instructions alone takes %1 of the time.")
            .arg(share);
    default:
        return tr("Limited by latency: no unit is busy for more than %1 of the time. More independent work "
                  "per thread, or more warps, would help.")
            .arg(formatPercent(1 - finding.value));
    }
}

/// Where most of what a limit counts is.
QString limiterPlace(const Finding& finding)
{
    if (finding.line <= 0)
        return {};
    switch (finding.limit) {
    case TimeLimit::Dram:
        return tr(" Most of the bytes are moved at line %1.").arg(finding.line);
    case TimeLimit::L2:
    case TimeLimit::L1:
        return tr(" Most of the sectors are requested at line %1.").arg(finding.line);
    default:
        return tr(" Most instructions are issued at line %1.").arg(finding.line);
    }
}

} // namespace

QString occupancyText(double occupancy, const std::string& limiter)
{
    const QString share = formatPercent(occupancy);
    if (limiter == "grid")
        return tr("Occupancy is %1: the grid has too few blocks to fill the device.").arg(share);
    if (limiter == "blocks")
        return tr("Occupancy is %1, limited by the number of blocks that an SM holds.").arg(share);
    if (limiter == "threads")
        return tr("Occupancy is %1, limited by the number of threads that an SM holds.").arg(share);
    if (limiter == "registers")
        return tr("Occupancy is %1, limited by the registers of a block.").arg(share);
    if (limiter == "shared memory")
        return tr("Occupancy is %1, limited by the shared memory of a block.").arg(share);
    return limiter.empty() ? tr("Occupancy is %1.").arg(share)
                           : tr("Occupancy is %1, limited by %2.").arg(share, toQString(limiter));
}

QString findingText(const Finding& f, const VerdictRecord& record)
{
    const QString line = f.line > 0 ? tr("Line %1: ").arg(f.line) : QString();
    const QString mostly = f.line > 0 ? tr(" Line %1 contributes most.").arg(f.line) : QString();
    switch (f.kind) {
    case FindingKind::Limiter:
        return limiterText(f) + limiterPlace(f);
    case FindingKind::Uncoalesced:
        return line + tr("scattered access, %1 sectors per warp instruction; 32 contiguous floats need 4.")
                          .arg(formatNumber(f.value, 3));
    case FindingKind::Divergence:
        return tr("%1 of the lanes are masked off on average.").arg(formatPercent(f.value)) + mostly;
    case FindingKind::DivergentBranch:
        return (f.value == 1 ? tr("One branch splits a warp.")
                             : tr("%1 branches split a warp.").arg(formatShortCount(f.value))) +
               mostly;
    case FindingKind::BankConflicts:
        return tr("Bank conflicts cost %1 extra passes over shared memory.").arg(formatShortCount(f.value)) +
               mostly;
    case FindingKind::Atomics:
        return tr("%1 atomic operations.").arg(formatShortCount(f.value)) + mostly;
    case FindingKind::Spills:
        return tr("%1 of local memory per thread: registers were spilled, or an array is indexed at run "
                  "time.")
            .arg(formatBytes(f.value));
    case FindingKind::LowOccupancy:
        return occupancyText(f.value, record.occupancyLimiter);
    case FindingKind::MoreBytes:
        return tr("DRAM moves %1 times the bytes that any program must move.").arg(formatNumber(f.value, 3)) +
               mostly;
    case FindingKind::NeverPaysOff:
        return tr("Set-up of %1 never pays off: the program is no faster than the baseline.")
            .arg(formatMicroseconds(f.value));
    }
    return {};
}

FindingsView::FindingsView(QWidget* parent)
    : QWidget(parent)
    , m_list(new QListWidget(this))
    , m_note(makeMuted({}, this))
{
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setWordWrap(true);
    m_list->setSpacing(2);
    m_list->setAccessibleName(QWidget::tr("Findings"));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_note->setWordWrap(true);
    m_note->setContentsMargins(6, 4, 6, 6);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 0);
    layout->addWidget(m_list, 1);
    layout->addWidget(m_note);
    layout->addStretch(); // the note is at the top where there is no list
    const auto choose = [this](QListWidgetItem* item) {
        if (item && item->data(lineRole).toInt() > 0)
            Q_EMIT lineChosen(item->data(lineRole).toInt());
    };
    connect(m_list, &QListWidget::itemClicked, this, choose);
    connect(m_list, &QListWidget::itemActivated, this, choose);
}

int FindingsView::show(const std::optional<VerdictRecord>& record)
{
    m_list->clear();
    m_list->setVisible(record && record->warm);
    const DeviceModel* model = record ? deviceModelOf(*record) : nullptr;
    if (!record || !record->warm) {
        m_note->setText(tr("Only correct programs are timed and profiled."));
        return 0;
    }
    if (!model) {
        m_note->setText(
            tr("The rates of %1 are not known, so its limits are unknown.").arg(toQString(record->device)));
        return 0;
    }
    for (const Finding& finding : findingsOf(*record, *model)) {
        auto* item =
            new QListWidgetItem(themedIcon(finding.kind == FindingKind::Limiter ? QStringLiteral("flame")
                                                                                : QStringLiteral("info")),
                                findingText(finding, *record), m_list);
        item->setData(lineRole, finding.line);
    }
    m_note->setText(record->lines.empty()
                        ? tr("There are no counters per line yet, so most findings are missing.")
                        : tr("Based on the simulator's counters per line and on the rates of %1.")
                              .arg(toQString(model->name)));
    return m_list->count();
}

} // namespace sparserl
