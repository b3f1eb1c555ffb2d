// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/relatives_view.h"

#include "base/interruption.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/number_columns.h"
#include "widgets/common/panels.h"
#include "widgets/common/target_text.h"
#include "widgets/kernels/column_text.h"
#include "widgets/kernels/group_view.h"
#include "widgets/kernels/verdict_text.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

namespace sparserl {

namespace {

enum Column
{
    PlaceColumn,
    SimilarityColumn,
    VerdictColumn,
    SpeedupColumn,
    TimeColumn,
    MatrixColumn,
    Columns
};

bool isNumber(int column)
{
    return column == SimilarityColumn || column == SpeedupColumn || column == TimeColumn;
}

} // namespace

RelativesView::RelativesView(QWidget* parent)
    : QWidget(parent)
    , m_progress(std::make_shared<std::atomic<double>>(0))
    , m_kinds(new QComboBox(this))
    , m_pages(new QStackedWidget(this))
    , m_group(new GroupView(this))
    , m_table(new QTableWidget(0, Columns, this))
    , m_note(makeMuted({}, this))
    , m_bar(new QProgressBar(this))
    , m_compare(new QPushButton(tr("&Diff with this one"), this))
    , m_open(new QPushButton(tr("&Show this one"), this))
    , m_stop(new QPushButton(tr("Cancel"), this))
    , m_poll(new QTimer(this))
{
    styleTable(m_table);
    m_table->setAccessibleName(tr("Relatives of the program, most similar first"));
    m_table->setHorizontalHeaderLabels(
        {tr("Written at"), tr("Similarity"), tr("Verdict"), tr("Speed-up"), tr("Time"), tr("Matrix")});
    alignTitles(m_table, isNumber);
    m_table->horizontalHeaderItem(SimilarityColumn)
        ->setToolTip(tr("Sequences of tokens that both programs have, as a share of all sequences that at "
                        "least one of them has."));
    fitColumns(m_table,
               {QStringLiteral("0000-rl, step 0"), QStringLiteral("this one 0"),
                QStringLiteral("out of bounds "), QStringLiteral("00.00×"), QStringLiteral("000.00 µs"),
                QStringLiteral("matrix")},
               MatrixColumn);
    m_table->horizontalHeader()->setSectionsClickable(true);
    m_table->horizontalHeader()->setSortIndicatorShown(true);
    connect(m_table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &RelativesView::sortBy);
    m_bar->setRange(0, 100);
    m_bar->setTextVisible(false);
    m_bar->setFixedHeight(6);
    m_bar->setAccessibleName(tr("Progress of the search for relatives"));
    letShrink(m_note);
    auto* below = new QHBoxLayout;
    below->setContentsMargins(12, 4, 8, 6);
    below->setSpacing(6); // else that of the layout around it: none
    below->addWidget(m_note, 1);
    below->addWidget(m_bar, 1);
    for (QPushButton* button : {m_stop, m_open, m_compare})
        below->addWidget(button);
    auto* similar = new QWidget(this);
    auto* inner = new QVBoxLayout(similar);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(0);
    inner->addWidget(m_table, 1);
    inner->addLayout(below);
    m_kinds->addItems({tr("Similar programs"), tr("Group of the sample")});
    m_kinds->setAccessibleName(tr("Programs to list"));
    m_kinds->setItemData(
        1, tr("The programs that the policy wrote for this target in the same step, with their rewards"),
        Qt::ToolTipRole);
    m_kinds->hide();
    m_pages->addWidget(similar);
    m_pages->addWidget(m_group);
    auto* above = new QHBoxLayout;
    above->setContentsMargins(12, 4, 8, 0);
    above->addWidget(m_kinds);
    above->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(above);
    layout->addWidget(m_pages, 1);
    connect(m_kinds, &QComboBox::currentIndexChanged, m_pages, &QStackedWidget::setCurrentIndex);
    connect(m_group, &GroupView::compareAsked, this, &RelativesView::compareAsked);
    connect(m_group, &GroupView::openAsked, this, &RelativesView::openAsked);
    m_poll->setInterval(100);
    connect(m_poll, &QTimer::timeout, this, [this] { m_bar->setValue(static_cast<int>(100 * *m_progress)); });
    connect(m_stop, &QPushButton::clicked, this, &RelativesView::cancel);
    connect(m_compare, &QPushButton::clicked, this, &RelativesView::compareChosen);
    connect(m_open, &QPushButton::clicked, this, [this] {
        if (const CandidateRow* row = chosen())
            Q_EMIT openAsked(*row);
    });
    connect(m_table, &QTableWidget::itemActivated, this, &RelativesView::compareChosen);
    connect(m_table, &QTableWidget::itemSelectionChanged, this, &RelativesView::updateButtons);
    updateButtons();
}

void RelativesView::setSession(ProjectSession* session)
{
    cancel();
    m_session = session;
    m_group->setSession(session);
    m_candidate.reset();
    m_stale = false;
    fill({});
    m_note->clear();
}

void RelativesView::show(const CandidateRow& candidate)
{
    if (m_candidate && m_candidate->id == candidate.id && m_candidate->verdict == candidate.verdict)
        return;
    m_candidate = candidate;
    m_stale = true;
    const bool hasGroup = GroupView::hasGroup(candidate);
    m_kinds->setVisible(hasGroup);
    m_pages->setCurrentIndex(hasGroup ? m_kinds->currentIndex() : 0);
    m_group->show(candidate);
    if (isVisible())
        ask();
}

void RelativesView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale)
        ask();
}

void RelativesView::ask()
{
    if (!m_session || !m_candidate)
        return;
    m_cancel.cancel();
    m_cancel = CancelToken();
    m_progress = std::make_shared<std::atomic<double>>(0);
    m_stale = false;
    m_chain.clear();
    m_table->setRowCount(0);
    m_note->setText(tr("Searching for similar programs…"));
    m_session->search<Relatives>(
        m_jobs,
        [of = *m_candidate, cancel = m_cancel, progress = m_progress](ProjectReader& reader) {
            return relativesOf(reader, of, cancel, [&](double part, std::string_view) { *progress = part; });
        },
        [this](Result<Relatives> relatives) {
            m_poll->stop();
            if (relatives)
                fill(std::move(*relatives));
            else if (!isInterruption(relatives.error()))
                m_note->setText(sentenceOf(relatives.error()));
            updateButtons();
        });
    m_poll->start();
    updateButtons();
}

void RelativesView::cancel()
{
    m_cancel.cancel();
    m_poll->stop();
    if (!m_jobs.running())
        return;
    m_jobs.cancel();
    m_stale = true; // looked for again when this is shown again
    m_note->setText(tr("Cancelled."));
    updateButtons();
}

void RelativesView::sortBy(int column, Qt::SortOrder order)
{
    const auto less = [column](const Relative& x, const Relative& y) {
        switch (column) {
        case PlaceColumn:
            return x.row.t < y.row.t;
        case SimilarityColumn:
            return x.similarity < y.similarity;
        case VerdictColumn:
            return verdictText(x.row.verdict) < verdictText(y.row.verdict);
        case SpeedupColumn:
            return x.row.speedup < y.row.speedup;
        case TimeColumn:
            return x.row.microseconds < y.row.microseconds;
        default:
            return targetText(x.row.target) < targetText(y.row.target);
        }
    };
    std::stable_sort(m_chain.begin(), m_chain.end(), [&](const Relative& x, const Relative& y) {
        return order == Qt::AscendingOrder ? less(x, y) : less(y, x);
    });
    fillRows();
}

void RelativesView::fill(Relatives relatives)
{
    m_chain = std::move(relatives.chain);
    {
        const QSignalBlocker once(m_table->horizontalHeader());
        m_table->horizontalHeader()->setSortIndicator(SimilarityColumn, Qt::DescendingOrder);
    }
    fillRows();
    const auto others = static_cast<std::int64_t>(m_chain.size()) - 1;
    QString note = others <= 0
                       ? tr("The project has no program similar to this one.")
                       : counted(others, tr("One relative."), tr("%1 relatives, most similar first."));
    if (relatives.candidates > relatives.lookedAt)
        note +=
            QLatin1Char(' ') + tr("Of the %1 programs of its kind, the %2 programs of the most similar "
                                  "length were compared.")
                                   .arg(formatCount(relatives.candidates), formatCount(relatives.lookedAt));
    m_note->setText(note);
}

void RelativesView::fillRows()
{
    m_table->setRowCount(static_cast<int>(m_chain.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const auto& [candidate, similarity] = m_chain[static_cast<std::size_t>(row)];
        const bool itself = m_candidate && candidate.programHash == m_candidate->programHash;
        const QString texts[] = {originText(candidate),
                                 itself ? tr("this one")
                                        : QLocale().toString(100 * similarity, 'f', 1) + QStringLiteral(" %"),
                                 verdictText(candidate.verdict),
                                 columnRatio(candidate.speedup),
                                 columnMicroseconds(candidate.microseconds),
                                 targetText(candidate.target)};
        for (int column = 0; column < Columns; ++column) {
            auto* item = makeCell(texts[column], isNumber(column));
            if (column == VerdictColumn)
                item->setData(TextToneRole, static_cast<int>(verdictTone(candidate.verdict)));
            if (itself && column == SimilarityColumn) {
                QFont bold = item->font();
                bold.setBold(true);
                item->setFont(bold);
            }
            item->setToolTip(toQString(candidate.message));
            m_table->setItem(row, column, item);
        }
        if (itself)
            m_table->selectRow(row);
    }
    updateButtons();
}

const CandidateRow* RelativesView::chosen() const
{
    const int row = m_table->currentRow();
    if (row < 0 || row >= static_cast<int>(m_chain.size()))
        return nullptr;
    const CandidateRow& candidate = m_chain[static_cast<std::size_t>(row)].row;
    return m_candidate && candidate.programHash != m_candidate->programHash ? &candidate : nullptr;
}

void RelativesView::updateButtons()
{
    const bool searching = m_jobs.running();
    m_bar->setVisible(searching);
    m_stop->setVisible(searching);
    m_compare->setVisible(!searching);
    m_open->setVisible(!searching);
    m_compare->setEnabled(chosen() != nullptr);
    m_open->setEnabled(chosen() != nullptr);
}

void RelativesView::compareChosen()
{
    if (const CandidateRow* row = chosen())
        Q_EMIT compareAsked(*row);
}

} // namespace sparserl
