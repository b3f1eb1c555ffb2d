// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/lineage_view.h"

#include "widgets/common/chart_widget.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/theme.h"
#include "widgets/common/whole_titles.h"
#include "widgets/kernels/column_text.h"
#include "widgets/kernels/verdict_text.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

enum Column
{
    ChangeColumn,
    TimeColumn,
    GainColumn,
    AfterColumn,
    PartColumn,
    Columns
};

constexpr int chartWidth = 260;
constexpr int nodeRole = Qt::UserRole + 200; ///< Index into SearchTree::nodes.

bool isNumber(int column)
{
    return column == TimeColumn || column == GainColumn || column == AfterColumn;
}

QString percentText(double gain)
{
    const double percent = 100 * (gain - 1);
    const QString number = QLocale().toString(std::abs(percent), 'f', 1);
    if (number == QLocale().toString(0.0, 'f', 1)) // less than is shown
        return number + QStringLiteral(" %");
    return (percent > 0 ? QStringLiteral("+") : QStringLiteral("−")) + number + QStringLiteral(" %");
}

QString partText(const SearchTree& search, std::size_t index)
{
    const SearchTree::Node& node = search.nodes[index];
    if (static_cast<std::ptrdiff_t>(index) == search.record)
        return LineageView::tr("record");
    if (node.onWay)
        return LineageView::tr("led to the record");
    return node.program.proposal.record ? LineageView::tr("earlier record") : QString();
}

/// "Gains: load +3.2 %, block-size +1.4 %." What bench would try came first and is what they are over.
QString gainsText(const SearchTree& search)
{
    std::vector<std::pair<std::string, double>> gains(search.gain.begin(), search.gain.end());
    std::erase_if(gains, [](const auto& one) { return one.first == "bench" || one.second < 1.0005; });
    std::stable_sort(gains.begin(), gains.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    QStringList words;
    for (const auto& [kind, gain] : gains)
        words.append(toQString(kind) + QLatin1Char(' ') + percentText(gain));
    return words.isEmpty() ? LineageView::tr("No program was faster than the programs of bench.")
                           : LineageView::tr("Gains: %1.").arg(words.join(QStringLiteral(", ")));
}

} // namespace

LineageView::LineageView(QWidget* parent)
    : QWidget(parent)
    , m_tree(new QTreeWidget(this))
    , m_note(makeMuted({}, this))
    , m_open(new QPushButton(tr("Sh&ow this program"), this))
    , m_chart(new ChartWidget(this))
{
    m_tree->setAccessibleName(tr("Programs of the search from the corpus to the record"));
    m_tree->setColumnCount(Columns);
    m_tree->setHeaderLabels({tr("Change"), tr("Time"), tr("Gain"), tr("After"), tr("Role")});
    m_tree->headerItem()->setToolTip(
        ChangeColumn, tr("A program of the corpus, or what was changed in the program above it."));
    m_tree->headerItem()->setToolTip(GainColumn, tr("Gain over the program that was changed."));
    m_tree->headerItem()->setToolTip(AfterColumn, tr("Elapsed time of the search when the verdict "
                                                     "arrived."));
    for (int column = 0; column < Columns; ++column)
        m_tree->headerItem()->setTextAlignment(
            column, Qt::AlignVCenter | (isNumber(column) ? Qt::AlignRight : Qt::AlignLeft));
    m_tree->setItemDelegate(new PlainDelegate(m_tree));
    m_tree->setUniformRowHeights(true);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->setIndentation(14);
    m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(ChangeColumn, QHeaderView::Stretch);
    for (int column = TimeColumn; column < Columns; ++column)
        m_tree->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    keepTitlesWhole(m_tree->header());
    tellWhenEmpty(m_tree, tr("Only programs of a search have a lineage."));
    m_note->setWordWrap(true);
    auto* below = new QVBoxLayout;
    below->setContentsMargins(12, 4, 8, 6);
    below->setSpacing(4);
    below->addWidget(m_note);
    below->addWidget(m_open, 0, Qt::AlignRight);
    auto* left = new QWidget(this);
    auto* leftLayout = new QVBoxLayout(left);
    leftLayout->setContentsMargins(0, 0, 0, 0);
    leftLayout->setSpacing(0);
    leftLayout->addWidget(m_tree, 1);
    leftLayout->addLayout(below);
    auto* split = new QSplitter(Qt::Horizontal, this);
    split->addWidget(left);
    split->addWidget(m_chart);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 0); // The changes need the room.
    split->setSizes({10000, chartWidth});
    split->setChildrenCollapsible(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(split);
    connect(m_tree, &QTreeWidget::itemActivated, this, &LineageView::open);
    connect(m_tree, &QTreeWidget::currentItemChanged, this,
            [this] { m_open->setEnabled(chosen() != nullptr); });
    connect(m_open, &QPushButton::clicked, this, &LineageView::open);
    fill({});
}

void LineageView::setSession(ProjectSession* session)
{
    m_jobs.cancel();
    m_session = session;
    m_candidate.reset();
    m_stale = false;
    fill({});
}

void LineageView::show(const CandidateRow& candidate)
{
    if (m_candidate && m_candidate->id == candidate.id && m_candidate->verdict == candidate.verdict)
        return;
    m_candidate = candidate;
    m_stale = true;
    if (isVisible())
        ask();
}

void LineageView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale)
        ask();
}

void LineageView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    showChart();
}

void LineageView::showChart()
{
    // The figures come first: beside a chart that left them no room they could not be read.
    m_chart->setVisible(!m_search.nodes.empty() && width() >= widthOfTable() + chartWidth);
}

int LineageView::widthOfTable() const
{
    const QAbstractItemView* view = m_tree;
    constexpr int lettersOfChange = 24;
    int width = lettersOfChange * m_tree->fontMetrics().averageCharWidth() + besideText(11); // the scroll bar
    for (int column = TimeColumn; column < Columns; ++column)
        width += std::max(m_tree->header()->sectionSizeHint(column), view->sizeHintForColumn(column));
    return width;
}

void LineageView::ask()
{
    if (!m_session || !m_candidate)
        return;
    m_stale = false;
    m_session->query<SearchTree>(
        m_jobs, [of = *m_candidate](ProjectReader& reader) { return searchTree(reader, of); },
        [this](Result<SearchTree> tree) {
            if (tree) {
                fill(std::move(*tree));
            } else {
                fill({});
                m_note->setText(sentenceOf(tree.error()));
            }
        });
}

void LineageView::fill(SearchTree tree)
{
    m_search = std::move(tree);
    m_tree->clear();
    std::vector<QTreeWidgetItem*> items;
    for (std::size_t i = 0; i < m_search.nodes.size(); ++i) {
        const auto& [program, parent, gain, onWay] = m_search.nodes[i];
        const CandidateRow& candidate = program.candidate;
        auto* item = parent < 0 ? new QTreeWidgetItem(m_tree)
                                : new QTreeWidgetItem(items[static_cast<std::size_t>(parent)]);
        items.push_back(item);
        const bool timed = candidate.microseconds > 0;
        const QString change = changeText(program.proposal);
        item->setText(ChangeColumn, change.isEmpty() ? toQString(program.proposal.source) : change);
        item->setText(TimeColumn,
                      timed ? columnMicroseconds(candidate.microseconds) : verdictText(candidate.verdict));
        item->setText(GainColumn, gain > 0 ? percentText(gain) : QString());
        item->setText(AfterColumn, formatDuration(program.proposal.seconds));
        item->setText(PartColumn, partText(m_search, i));
        item->setData(ChangeColumn, nodeRole, QVariant::fromValue(static_cast<qlonglong>(i)));
        item->setToolTip(ChangeColumn, wrappedTip(item->text(ChangeColumn)));
        for (int column = 0; column < Columns; ++column) {
            item->setTextAlignment(column,
                                   Qt::AlignVCenter | (isNumber(column) ? Qt::AlignRight : Qt::AlignLeft));
            if (onWay) {
                QFont bold = item->font(column);
                bold.setBold(true);
                item->setFont(column, bold);
            }
        }
    }
    m_tree->expandAll();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (m_candidate && m_search.nodes[i].program.candidate.programHash == m_candidate->programHash) {
            m_tree->setCurrentItem(items[i]);
            m_tree->scrollToItem(items[i]);
        }
    }
    m_note->setText(m_search.nodes.empty() ? QString() : gainsText(m_search));
    m_note->setToolTip(
        tr("How much faster each source and kind of edit made the record. %1").arg(m_note->text()));
    m_open->setVisible(!m_search.nodes.empty());
    m_open->setEnabled(chosen() != nullptr);
    draw();
}

void LineageView::draw()
{
    ChartData data;
    data.title = tr("Best time, µs");
    data.xLabel = tr("time of the search");
    data.x = ChartX::Seconds;
    data.emptyText = tr("The search has no correct program.");
    ChartSeries best;
    best.name = tr("best");
    best.kind = ChartKind::LinesAndPoints;
    for (std::size_t i = 0; i < m_search.curve.size(); ++i) {
        const auto& [seconds, microseconds] = m_search.curve[i];
        if (i > 0) // The best stays the best until a faster one comes.
            best.curve->append(seconds, m_search.curve[i - 1].second);
        best.curve->append(seconds, microseconds);
    }
    data.series.append(best);
    showChart();
    m_chart->setData(data);
    m_chart->showAll();
}

const CandidateRow* LineageView::chosen() const
{
    const QTreeWidgetItem* item = m_tree->currentItem();
    if (!item)
        return nullptr;
    const auto index = static_cast<std::size_t>(item->data(ChangeColumn, nodeRole).toLongLong());
    if (index >= m_search.nodes.size())
        return nullptr;
    const CandidateRow& candidate = m_search.nodes[index].program.candidate;
    return m_candidate && candidate.programHash != m_candidate->programHash ? &candidate : nullptr;
}

void LineageView::open()
{
    if (const CandidateRow* row = chosen())
        Q_EMIT openAsked(CandidateRow(*row)); // the tree may be filled again by what follows
}

} // namespace sparserl
