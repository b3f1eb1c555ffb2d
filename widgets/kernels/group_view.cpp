// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/group_view.h"

#include "verdict/names.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/number_columns.h"
#include "widgets/common/panels.h"
#include "widgets/kernels/column_text.h"
#include "widgets/kernels/verdict_text.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

enum Column
{
    NumberColumn,
    RewardColumn,
    DifferenceColumn,
    VerdictColumn,
    SpeedupColumn,
    TokensColumn,
    LogColumn,
    Columns
};

bool isNumber(int column)
{
    return column != VerdictColumn;
}

QString signedNumber(double value)
{
    if (!std::isfinite(value))
        return {};
    const QString digits = QLocale().toString(value, 'f', 3);
    return value > 0 ? QLatin1Char('+') + digits : digits;
}

QString number(double value, int digits)
{
    return std::isfinite(value) ? QLocale().toString(value, 'f', digits) : QString();
}

} // namespace

GroupView::GroupView(QWidget* parent)
    : QWidget(parent)
    , m_table(new QTableWidget(0, Columns, this))
    , m_note(makeMuted({}, this))
    , m_compare(new QPushButton(tr("&Diff with this one"), this))
    , m_open(new QPushButton(tr("&Show this one"), this))
{
    styleTable(m_table, 6);
    m_table->setAccessibleName(tr("Programs of the group, with their rewards"));
    m_table->setHorizontalHeaderLabels({tr("No."), tr("Reward"), tr("Above mean"), tr("Verdict"),
                                        tr("Speed-up"), tr("Tokens"), tr("Log-probability")});
    alignTitles(m_table, isNumber);
    m_table->horizontalHeaderItem(DifferenceColumn)
        ->setToolTip(tr("Reward minus the mean reward of the group. This is the advantage of Dr. GRPO; GRPO "
                        "divides it by the standard deviation."));
    m_table->horizontalHeaderItem(LogColumn)->setToolTip(
        tr("Log-probability of the whole program when it was sampled"));
    fitColumns(m_table,
               {QStringLiteral("000"), QStringLiteral("-0.000"), QStringLiteral("+0.000"),
                QStringLiteral("out of bounds "), QStringLiteral("00.00×"), QStringLiteral("0,000"),
                QStringLiteral("-000.00")},
               VerdictColumn);
    letShrink(m_note);
    auto* below = new QHBoxLayout;
    below->setContentsMargins(12, 4, 8, 6);
    below->setSpacing(6);
    below->addWidget(m_note, 1);
    below->addWidget(m_open);
    below->addWidget(m_compare);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_table, 1);
    layout->addLayout(below);
    connect(m_compare, &QPushButton::clicked, this, &GroupView::compareChosen);
    connect(m_open, &QPushButton::clicked, this, [this] {
        if (const CandidateRow* row = chosen())
            Q_EMIT openAsked(*row);
    });
    connect(m_table, &QTableWidget::itemActivated, this, &GroupView::compareChosen);
    connect(m_table, &QTableWidget::itemSelectionChanged, this, &GroupView::updateButtons);
    updateButtons();
}

bool GroupView::hasGroup(const CandidateRow& candidate)
{
    return candidate.origin == sample_origin::policy || candidate.origin == sample_origin::evaluation;
}

void GroupView::setSession(ProjectSession* session)
{
    m_jobs.cancel();
    m_session = session;
    m_candidate.reset();
    m_stale = false;
    fill({});
    m_note->clear();
}

void GroupView::show(const CandidateRow& candidate)
{
    if (m_candidate && m_candidate->id == candidate.id && m_candidate->verdict == candidate.verdict)
        return;
    m_candidate = candidate;
    m_stale = true;
    if (isVisible())
        load();
}

void GroupView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale)
        load();
}

void GroupView::load()
{
    if (!m_session || !m_candidate || !hasGroup(*m_candidate))
        return;
    m_stale = false;
    m_session->query<std::vector<CandidateRow>>(
        m_jobs, [id = m_candidate->id](ProjectReader& reader) { return reader.sampleGroup(id); },
        [this](Result<std::vector<CandidateRow>> group) {
            if (group) {
                fill(std::move(*group));
                return;
            }
            fill({});
            m_note->setText(sentenceOf(group.error()));
        });
}

void GroupView::fill(std::vector<CandidateRow> group)
{
    m_group = std::move(group);
    m_mean = 0;
    double least = 0, most = 0;
    for (const CandidateRow& row : m_group) {
        least = &row == &m_group.front() ? row.reward : std::min(least, row.reward);
        most = &row == &m_group.front() ? row.reward : std::max(most, row.reward);
        m_mean += row.reward / static_cast<double>(m_group.size());
    }
    m_table->setRowCount(static_cast<int>(m_group.size()));
    for (int row = 0; row < m_table->rowCount(); ++row)
        fillRow(row);
    updateButtons();
    if (m_group.empty())
        return;
    QString note =
        counted(static_cast<std::int64_t>(m_group.size()),
                tr("One program in step %1").arg(formatCount(m_group.front().step)),
                tr("%1 programs in step %2").arg(QStringLiteral("%1"), formatCount(m_group.front().step)));
    if (!std::isfinite(m_mean))
        note = tr("%1.").arg(note);
    else if (m_group.size() > 1 && least == most)
        note = tr("%1, all with the reward %2: estimators that compare them learn nothing here.")
                   .arg(note, number(m_mean, 3));
    else
        note = tr("%1, mean reward %2.").arg(note, number(m_mean, 3));
    m_note->setText(note);
}

void GroupView::fillRow(int row)
{
    const CandidateRow& one = m_group[static_cast<std::size_t>(row)];
    const bool itself = m_candidate && one.id == m_candidate->id;
    const QLocale locale;
    const QString texts[] = {locale.toString(row + 1),
                             number(one.reward, 3),
                             signedNumber(one.reward - m_mean),
                             itself ? tr("%1 (this one)").arg(verdictText(one.verdict))
                                    : verdictText(one.verdict),
                             columnRatio(one.speedup),
                             locale.toString(static_cast<qlonglong>(one.tokens)),
                             number(one.logProb, 2)};
    for (int column = 0; column < Columns; ++column) {
        auto* item = makeCell(texts[column], isNumber(column));
        if (column == VerdictColumn)
            item->setData(TextToneRole, static_cast<int>(verdictTone(one.verdict)));
        if (itself) {
            QFont bold = item->font();
            bold.setBold(true);
            item->setFont(bold);
        }
        item->setToolTip(toQString(one.message));
        m_table->setItem(row, column, item);
    }
    if (itself)
        m_table->selectRow(row);
}

const CandidateRow* GroupView::chosen() const
{
    const int row = m_table->currentRow();
    if (row < 0 || row >= static_cast<int>(m_group.size()))
        return nullptr;
    const CandidateRow& one = m_group[static_cast<std::size_t>(row)];
    return m_candidate && one.id != m_candidate->id ? &one : nullptr;
}

void GroupView::updateButtons()
{
    m_compare->setEnabled(chosen() != nullptr);
    m_open->setEnabled(chosen() != nullptr);
}

void GroupView::compareChosen()
{
    if (const CandidateRow* row = chosen())
        Q_EMIT compareAsked(*row);
}

} // namespace sparserl
