// SPDX-License-Identifier: Apache-2.0
#include "widgets/evaluation/matrix_results.h"

#include "target/target_text.h"
#include "target/workload.h"
#include "verdict/names.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/target_text.h"
#include "widgets/common/translate.h"
#include "widgets/evaluation/evaluation_charts.h"
#include "widgets/evaluation/policy_list.h"

#include <QHeaderView>
#include <QLabel>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

namespace sparserl {

namespace {

enum Column
{
    Matrix,
    NonZeros,
    Compiled,
    Correct,
    Faster,
    BestTime,
    Baseline,
    Gflops,
    Speedup,
    OtherCorrect,
    OtherSpeedup,
    Families
};

constexpr double none = std::numeric_limits<double>::quiet_NaN();

double share(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : none;
}

double orNone(double value)
{
    return value > 0 ? value : none;
}

bool isTrainedOn(const EvaluationEvent& row)
{
    return row.split == split::train;
}

QString shareOf(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? QStringLiteral("%1 / %2").arg(formatCount(part), formatCount(whole))
                     : QStringLiteral("–");
}

// How many of how many, sorted by the share.
template <typename Row>
RowColumn<Row> countColumn(const QString& title, const QString& tip,
                           std::function<const EvaluationEvent*(const Row&)> of,
                           std::int64_t EvaluationEvent::*part)
{
    return {title, tip,
            [of = std::move(of), part](const Row& row, int role) -> QVariant {
                const EvaluationEvent* event = of(row);
                if (role == Qt::DisplayRole)
                    return event ? shareOf(event->*part, event->samples) : QStringLiteral("–");
                if (role == SortRole)
                    return event && event->samples > 0 ? share(event->*part, event->samples) : -1.0;
                return {};
            },
            true};
}

/// "4× S10 · ELL", most frequent first, then the family of the fastest corpus program judged before;
/// `between` any two.
QString familiesNamed(const EvaluationEvent& event, const QString& between)
{
    std::vector<std::pair<std::string, std::int64_t>> counts(event.familyCounts.begin(),
                                                             event.familyCounts.end());
    std::stable_sort(counts.begin(), counts.end(),
                     [](const auto& x, const auto& y) { return x.second > y.second; });
    QStringList parts;
    for (const auto& [family, count] : counts)
        parts.append(tr("%1× %2").arg(formatCount(count), familyText(family)));
    if (counts.empty())
        for (const std::string& family : event.families)
            parts.append(familyText(family));
    if (!event.bestFamily.empty())
        parts.append(tr("fastest corpus family: %1").arg(familyText(event.bestFamily)));
    return parts.join(between);
}

template <typename Row>
RowColumn<Row> familiesColumn(const EvaluationEvent Row::*event)
{
    return {tr("Families"),
            tr("Number of correct programs of each kernel family, and the family of the fastest corpus "
               "program that was judged on the matrix earlier."),
            [event](const Row& row, int role) -> QVariant {
                if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
                    return {};
                const QString text = familiesNamed(
                    row.*event, role == Qt::ToolTipRole ? QStringLiteral("\n") : QStringLiteral("; "));
                return text.isEmpty() && role == Qt::DisplayRole ? QStringLiteral("–") : text;
            }};
}

/// The columns that a row under one policy has, whatever stands before and behind them.
template <typename Row>
void addResultColumns(std::vector<RowColumn<Row>>& columns, EvaluationEvent Row::*event)
{
    const auto of = [event](const Row& row) { return &(row.*event); };
    const auto time = [](double v) { return formatMicroseconds(v); };
    columns.push_back(countColumn<Row>(tr("Compiled"), tr("Sampled programs that compile."), of,
                                       &EvaluationEvent::compiled));
    columns.push_back(countColumn<Row>(tr("Correct"), tr("Sampled programs that are correct."), of,
                                       &EvaluationEvent::correct));
    columns.push_back(countColumn<Row>(tr("Faster"),
                                       tr("Sampled programs that are correct and faster than the baseline."),
                                       of, &EvaluationEvent::faster));
    columns.push_back(numberColumn<Row>(
        tr("Best time"), tr("Warm time of the best correct program; lower is better."),
        [event](const Row& row) { return orNone((row.*event).bestMicroseconds); }, time));
    columns.push_back(numberColumn<Row>(
        tr("Baseline"), tr("Warm time of the baseline program."),
        [event](const Row& row) { return orNone((row.*event).baselineMicroseconds); }, time));
    columns.push_back(numberColumn<Row>(
        tr("GFLOPS"), tr("GFLOPS of the best correct program; higher is better."),
        [event](const Row& row) {
            const EvaluationEvent& e = row.*event;
            return orNone(workloadOf(e.target, e.nnz).gflops(e.bestMicroseconds));
        },
        [](double v) { return QLocale().toString(v, 'f', 2); }));
    columns.push_back(numberColumn<Row>(
        tr("Speed-up"), tr("Time of the baseline divided by the best time; higher is better."),
        [event](const Row& row) { return orNone((row.*event).bestSpeedup()); },
        [](double v) { return formatRatio(v); }));
}

/// The kernels of a row, and of its task alone where the matrix has another target in the view.
Destination kernelsOf(const EvaluationView& view, const EvaluationEvent& row, const QString& run)
{
    Destination place{Destination::Kind::KernelsOfMatrix, toQString(row.target.name), run};
    for (const EvaluationSet& set : *view.sets)
        for (const EvaluationRow& other : set.rows)
            if (other.event.target.sameContents(row.target) &&
                taskWords(other.event.target.variant) != taskWords(row.target.variant))
                place.task = taskWords(row.target.variant);
    return place;
}

QWidget* cardOf(QLabel* heading, QTableView* table, QWidget* parent)
{
    auto* card = makeCard(parent);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(1, 8, 1, 1);
    heading->setContentsMargins(12, 0, 12, 0);
    letShrink(heading);
    layout->addWidget(heading);
    layout->addWidget(table, 1);
    return card;
}

} // namespace

MatrixResults::MatrixResults(QWidget* parent)
    : QWidget(parent)
    , m_view(std::make_shared<const EvaluationView>())
    , m_proxy(new QSortFilterProxyModel(this))
    , m_table(new QTableView(this))
    , m_policyTable(new QTableView(this))
    , m_heading(makeHeading({}, this))
    , m_detailHeading(makeHeading({}, this))
{
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setObjectName(QStringLiteral("evaluation.matrices"));
    splitter->setHandleWidth(10);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(makeTop());
    splitter->addWidget(makeBottom());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->addWidget(splitter);
}

QWidget* MatrixResults::makeTop()
{
    using Line = MatrixLine;
    std::vector<RowColumn<Line>> columns;
    columns.push_back({tr("Matrix"),
                       tr("Press Enter to list the policies of this matrix below; double-click to show "
                          "its kernels."),
                       [](const Line& line, int role) -> QVariant {
                           if (role == Qt::DisplayRole)
                               return markedName(targetText(line.row.target), isTrainedOn(line.row) ? 1 : 0,
                                                 1);
                           if (role == Qt::ToolTipRole)
                               return splitName(toQString(line.row.split));
                           return {};
                       }});
    columns.push_back(numberColumn<Line>(
        tr("Non-zeros"), tr("Number of stored entries."),
        [](const Line& line) { return static_cast<double>(line.row.nnz); },
        [](double v) { return formatCount(static_cast<std::int64_t>(v)); }));
    addResultColumns(columns, &Line::row);
    columns.push_back(countColumn<Line>(
        tr("Correct, other"), tr("Correct programs of the policy with which this one is compared."),
        [](const Line& line) { return line.other ? &*line.other : nullptr; }, &EvaluationEvent::correct));
    columns.push_back(numberColumn<Line>(
        tr("Speed-up, other"), tr("Speed-up of the policy with which this one is compared."),
        [](const Line& line) { return line.other ? orNone(line.other->bestSpeedup()) : none; },
        [](double v) { return formatRatio(v); }));
    columns.push_back(familiesColumn(&Line::row));
    m_model = new RowModel<Line>(
        std::move(columns),
        [](const Line& line) {
            return QString(toQString(line.row.target.key()) + toQString(line.row.split));
        },
        this);
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(SortRole);
    styleTable(m_table);
    m_table->setModel(m_proxy);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->setAccessibleName(tr("Results by matrix"));
    fitColumns(m_table,
               {QStringLiteral("a-matrix-name"), QStringLiteral("0,000,000"), QStringLiteral("100 / 100"),
                QStringLiteral("100 / 100"), QStringLiteral("100 / 100"), QStringLiteral("000.0 µs"),
                QStringLiteral("000.0 µs"), QStringLiteral("0000.00"), QStringLiteral("00.00×"),
                QStringLiteral("100 / 100"), QStringLiteral("00.00×"), QStringLiteral("12xS2 4xS3, best S3")},
               Families, Matrix);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &MatrixResults::showMatrix);
    connect(m_table, &QTableView::doubleClicked, this, [this] {
        const EvaluationSet* set = m_view->find(m_key);
        if (const MatrixLine* line = current(); line && set)
            Q_EMIT navigate(kernelsOf(*m_view, line->row, set->run));
    });
    for (const int key : {Qt::Key_Return, Qt::Key_Enter}) {
        auto* drill = new QShortcut(QKeySequence(key), m_table, nullptr, nullptr, Qt::WidgetShortcut);
        connect(drill, &QShortcut::activated, this, [this] {
            if (m_policies->rowCount() == 0)
                return;
            m_policyTable->setCurrentIndex(
                m_policies->index(std::max(0, m_policyTable->currentIndex().row()), 0));
            m_policyTable->setFocus();
        });
    }
    return cardOf(m_heading, m_table, this);
}

QWidget* MatrixResults::makeBottom()
{
    using Line = MatrixPolicyLine;
    std::vector<RowColumn<Line>> columns;
    columns.push_back({tr("Policy"),
                       tr("Press Enter or double-click to show the policy's kernels for this matrix."),
                       [](const Line& line, int role) -> QVariant {
                           if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
                               return line.label;
                           return role == SwatchRole ? QVariant(line.colour) : QVariant();
                       }});
    addResultColumns(columns, &Line::row);
    columns.push_back(familiesColumn(&Line::row));
    m_policies = new RowModel<Line>(
        std::move(columns), [](const Line& line) { return line.key; }, this);
    styleTable(m_policyTable);
    m_policyTable->setModel(m_policies);
    m_policyTable->setItemDelegateForColumn(0, new SwatchDelegate(m_policyTable));
    m_policyTable->setAccessibleName(tr("Results of each shown policy on the matrix"));
    fitColumns(m_policyTable,
               {QStringLiteral("a-run/step-000000"), QStringLiteral("100 / 100"), QStringLiteral("100 / 100"),
                QStringLiteral("100 / 100"), QStringLiteral("000.0 µs"), QStringLiteral("000.0 µs"),
                QStringLiteral("0000.00"), QStringLiteral("00.00×"), QStringLiteral("12xS2 4xS3, best S3")},
               8, 0);
    connect(m_policyTable, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (const Line* line = m_policies->row(index))
            Q_EMIT navigate(kernelsOf(*m_view, line->row, line->run));
    });
    auto* back =
        new QShortcut(QKeySequence(Qt::Key_Escape), m_policyTable, nullptr, nullptr, Qt::WidgetShortcut);
    connect(back, &QShortcut::activated, m_table, qOverload<>(&QWidget::setFocus));
    return cardOf(m_detailHeading, m_policyTable, this);
}

const MatrixLine* MatrixResults::current() const
{
    return m_model->row(m_proxy->mapToSource(m_table->currentIndex()));
}

void MatrixResults::showView(std::shared_ptr<const EvaluationView> view, const QString& key)
{
    m_view = std::move(view);
    m_key = key;
    fill();
}

void MatrixResults::setPolicy(const QString& key)
{
    m_key = key;
    fill();
}

void MatrixResults::focusTable()
{
    m_table->setFocus();
}

void MatrixResults::fill()
{
    const EvaluationSet* set = m_view->find(m_key);
    const EvaluationSet* other = m_key == m_view->choice.other ? nullptr : m_view->find(m_view->choice.other);
    m_table->setColumnHidden(OtherCorrect, !other);
    m_table->setColumnHidden(OtherSpeedup, !other);
    m_table->setColumnHidden(BestTime, other != nullptr); // both stand below, and a small window has no room
    m_table->setColumnHidden(Baseline, other != nullptr);
    m_heading->setText(
        !set ? tr("Matrices")
        : other
            ? tr("Matrices of %1, compared with %2").arg(m_view->nameOf(m_key), m_view->nameOf(other->key))
            : tr("Matrices of %1").arg(m_view->nameOf(m_key)));
    m_model->setRows(m_view->matricesOf(m_key));
    if (!m_table->currentIndex().isValid() && m_proxy->rowCount() > 0)
        m_table->setCurrentIndex(m_proxy->index(0, Matrix));
    showMatrix();
}

void MatrixResults::showMatrix()
{
    const MatrixLine* line = current();
    m_detailHeading->setText(line ? tr("%1 with each shown policy").arg(targetText(line->row.target))
                                  : tr("No matrix is selected"));
    std::vector<MatrixPolicyLine> lines;
    if (line)
        for (auto& [set, row] : m_view->policiesOf(line->row))
            lines.push_back(
                {set->key, markedName(set->label, isTrainedOn(row) ? 1 : 0, 1), set->run, set->colour, row});
    m_policies->setRows(std::move(lines));
}

} // namespace sparserl
