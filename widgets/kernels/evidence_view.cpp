// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/evidence_view.h"

#include "verdict/names.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/kernels/profile_rows.h"
#include "widgets/kernels/verdict_text.h"

#include <QHeaderView>
#include <QLocale>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>

namespace sparserl {

namespace {

/// Rows of several lines have the same air between them as those of one.
class LinesDelegate : public PlainDelegate
{
public:
    using PlainDelegate::PlainDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return PlainDelegate::sizeHint(option, index) + QSize(0, 8);
    }
};

/// "edits, as program 19 after 7.9 s of the search; S10, ell"
QString foundByText(const ProposalOrigin& proposal)
{
    QString text = EvidenceView::tr("%1, as program %2 after %3 of the search; %4")
                       .arg(toQString(proposal.source), formatCount(proposal.number + 1),
                            formatDuration(proposal.seconds), toQString(proposal.niche));
    if (proposal.record)
        text += EvidenceView::tr("; the fastest when it was judged");
    else if (!proposal.fresh)
        text += EvidenceView::tr("; it has the same plan and PTX as an earlier program");
    return text;
}

/// A line for each program: its time, what it gained over the one before, and what was changed.
QString lineageText(const std::vector<LineageRow>& lineage)
{
    QStringList lines;
    double before = 0;
    for (const LineageRow& row : lineage) {
        const double time = row.candidate.microseconds;
        QString line = time > 0 ? formatMicroseconds(time) : verdictText(row.candidate.verdict);
        if (time > 0 && before > 0)
            line += EvidenceView::tr(" (%1 %)").arg(QLocale().toString(100 * (before / time - 1), 'f', 1));
        lines.append(line + QStringLiteral(": ") + changeText(row.proposal));
        before = time;
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace

EvidenceView::EvidenceView(QWidget* parent)
    : QWidget(parent)
    , m_table(new QTableWidget(0, 2, this))
{
    styleTable(m_table);
    m_table->setItemDelegate(new LinesDelegate(m_table));
    m_table->setWordWrap(true);
    m_table->horizontalHeader()->hide();
    fitColumn(m_table, 0, tr("First wrong element"));
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setAccessibleName(tr("Evidence"));
    connect(m_table->horizontalHeader(), &QHeaderView::sectionResized, m_table,
            &QTableView::resizeRowsToContents, Qt::QueuedConnection);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addWidget(m_table);
}

void EvidenceView::show(const CandidateRow& candidate, const std::optional<VerdictRecord>& record,
                        bool countedLater, const std::vector<LineageRow>& lineage)
{
    m_table->setRowCount(0);
    const auto add = [this](const QString& name, const QString& value) {
        if (value.isEmpty())
            return;
        const int row = m_table->rowCount();
        m_table->insertRow(row);
        auto* key = new QTableWidgetItem(name);
        key->setTextAlignment(Qt::AlignLeft | Qt::AlignTop);
        m_table->setItem(row, 0, key);
        auto* text = new QTableWidgetItem(value);
        text->setTextAlignment(Qt::AlignLeft | Qt::AlignTop);
        m_table->setItem(row, 1, text);
    };
    add(tr("Verdict"),
        QStringLiteral("%1. %2").arg(verdictText(candidate.verdict), verdictHelp(candidate.verdict)));
    if (record) {
        add(tr("Message"), asSentence(toQString(record->message)));
        add(tr("First wrong element"), wrongElementText(*record));
        add(tr("Where"), placeText(*record));
        QStringList flags;
        for (const std::string& flag : listedFlags(*record))
            flags.append(flagText(flag));
        add(tr("Flags"), flags.isEmpty() ? tr("none") : flags.join(QStringLiteral(", ")));
        add(tr("Device"), record->simulated && record->device.find("simulated") == std::string::npos
                              ? tr("%1 (simulated)").arg(toQString(record->device))
                              : toQString(record->device));
        add(tr("Baseline"),
            record->baselineMicroseconds > 0
                ? tr("%1, %2: %3")
                      .arg(toQString(record->baselineName), toQString(record->baselineAlgorithm),
                           formatMicroseconds(record->baselineMicroseconds))
                : QString());
        add(tr("Tolerance"),
            record->protocolVersion < 2
                ? tr("|y − y64| ≤ c·u·(n + 2)·Σ|a||x| in every row, c = 4, u = 2⁻²⁴, n entries in the row")
                : tr("|y − y64| ≤ c·u·(√n + k)·‖a∘x‖₂ in every row, c = 6, k = 2, u = 2⁻²⁴, n entries in the "
                     "row; exact if the inputs allow it"));
        if (record->warm && record->warm->n > 1)
            add(tr("Timings"),
                tr("%1, quartiles %2 to %3, of %4 samples")
                    .arg(formatMicroseconds(record->warm->median), formatMicroseconds(record->warm->q25),
                         formatMicroseconds(record->warm->q75))
                    .arg(record->warm->n));
        add(tr("Share of the limit"),
            record->shareOfLimit > 0
                ? tr("%1 of the limit that the compulsory bytes set%2")
                      .arg(formatPercent(record->shareOfLimit),
                           record->shareOfLimit > 1
                               ? tr("; more than the device can do, so not to be trusted")
                               : QString())
                : QString());
        add(tr("Bandwidth"), bandwidthText(*record));
        add(tr("Numbers"), tr("32-bit floats, 32-bit indices; the reference sums in 64 bits"));
        const bool later = candidate.flags.has(VerdictFlag::VerifiedAgain);
        if (candidate.runName.empty())
            add(tr("Checked again"), later ? tr("judged after it was kept; this is the newest verdict")
                                           : tr("only when it was kept, before and after timing"));
        else
            add(tr("Checked again"), later ? tr("yes, after its run, with other inputs; this is the verdict "
                                                "of that check")
                                           : tr("only during its run, before and after timing"));
        add(tr("Counters per line"), countedLater            ? tr("counted on the simulator after the run")
                                     : record->lines.empty() ? tr("none")
                                                             : tr("from this verdict"));
        add(tr("Largest error"), record->correct() && record->boundShare > 0
                                     ? tr("%1 of its tolerance").arg(formatPercent(record->boundShare))
                                     : QString());
        add(tr("Seed of the inputs"), QString::number(record->seed));
        add(tr("Protocol version"), QString::number(record->protocolVersion));
        add(tr("PTX"), toQString(record->ptxHash));
        add(tr("Time of judging"), formatDuration(record->judgeSeconds));
    }
    add(tr("Program"), toQString(candidate.programHash));
    add(tr("Matrix"), QStringLiteral("%1 (%2)").arg(toQString(candidate.target.name),
                                                    shortHash(candidate.target.contents)));
    const TargetVariant& variant = candidate.target.variant;
    QString task = variant.task() == Task::SpMV ? tr("SpMV, y = A x")
                   : variant.task() == Task::SpMM
                       ? tr("SpMM, C = A B with %1 columns").arg(formatCount(variant.columns))
                       : tr("Operator");
    if (variant.type == ElementType::F64)
        task = tr("%1, in double precision").arg(task);
    add(tr("Task"), task);
    add(candidate.runName.empty() ? tr("Origin") : tr("Sampled by"), originText(candidate));
    if (!lineage.empty()) {
        add(tr("Found by"), foundByText(lineage.back().proposal));
        add(tr("Path from the corpus"), lineageText(lineage));
    }
    const bool hand = candidate.origin == sample_origin::hand;
    if (hand)
        add(tr("Copy of"), toQString(candidate.source));
    else if (candidate.runName.empty())
        add(tr("Policy"), toQString(candidate.source));
    if (!hand && lineage.empty()) {
        add(tr("Tokens"), formatCount(candidate.tokens));
        add(tr("Log-probability"),
            std::isnan(candidate.logProb) ? QString() : formatNumber(candidate.logProb, 6));
    }
    add(tr("Reward"), std::isnan(candidate.reward) ? QString() : formatNumber(candidate.reward, 4));
    add(tr("Note"), toQString(candidate.note));
    m_table->resizeRowsToContents(); // also of a program whose columns are as wide as the last one's
}

} // namespace sparserl
