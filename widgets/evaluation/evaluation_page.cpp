// SPDX-License-Identifier: Apache-2.0
#include "widgets/evaluation/evaluation_page.h"

#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"

#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSaveFile>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

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
    Speedup,
    OtherCorrect,
    OtherSpeedup,
    Families
};

double share(std::int64_t part, std::int64_t whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

RowColumn<EvaluationLine> numberColumn(const QString& title, const QString& tip,
                                       std::function<double(const EvaluationLine&)> value,
                                       std::function<QString(double)> format)
{
    return {title, tip,
            [value = std::move(value), format = std::move(format)](const EvaluationLine& line,
                                                                   int role) -> QVariant {
                const double v = value(line);
                if (role == Qt::DisplayRole)
                    return v < 0 ? QStringLiteral("–") : format(v);
                if (role == SortRole)
                    return v;
                return {};
            },
            true};
}

} // namespace

EvaluationPage::EvaluationPage(QWidget* parent)
    : ProjectPage(parent)
    , m_model(makeModel())
    , m_proxy(new QSortFilterProxyModel(this))
    , m_first(new QComboBox(this))
    , m_second(new QComboBox(this))
    , m_pass(new ChartWidget(this))
    , m_speedups(new ChartWidget(this))
{
    setObjectName(QStringLiteral("evaluation"));
    m_proxy->setSourceModel(m_model);
    m_proxy->setSortRole(SortRole);
    auto* content = new QWidget(this);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
    layout->addWidget(makeBar());
    layout->addWidget(makeTiles());
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setObjectName(QStringLiteral("evaluation.splitter"));
    splitter->setHandleWidth(10);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(makeTable());
    auto* charts = new QSplitter(Qt::Vertical);
    charts->setObjectName(QStringLiteral("evaluation.charts"));
    charts->setHandleWidth(10);
    charts->addWidget(m_pass);
    charts->addWidget(m_speedups);
    splitter->addWidget(charts);
    splitter->setSizes({720, 540});
    layout->addWidget(splitter, 1);
    auto* empty =
        new EmptyState(QStringLiteral("evaluation"), tr("No evaluation yet"),
                       tr("An evaluation samples programs for the held-out matrices and counts what is right "
                          "and what is fast. Training evaluates now and then; a run of the stage "
                          "“evaluation” does it thoroughly."),
                       this);
    connect(empty->addButton(tr("Go to training"), true), &QPushButton::clicked, this, [this] {
        Q_EMIT navigate({Destination::Kind::Training, {}});
    });
    setUp(empty, content);
}

QWidget* EvaluationPage::makeBar()
{
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(2, 0, 0, 0);
    auto* what = makeMuted(tr("&Policy"), bar);
    what->setBuddy(m_first);
    auto* with = makeMuted(tr("&Compare with"), bar);
    with->setBuddy(m_second);
    for (QComboBox* box : {m_first, m_second}) { // long names are cut, not the window widened
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(14);
        box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        box->setMaximumWidth(340);
    }
    layout->addWidget(makeHeading(tr("Evaluation"), bar, 1.2));
    layout->addSpacing(16);
    layout->addWidget(what);
    layout->addWidget(m_first);
    layout->addSpacing(10);
    layout->addWidget(with);
    layout->addWidget(m_second);
    layout->addStretch();
    auto* button = makeToolButton(QStringLiteral("export"), tr("Export"), tr("Export the table"), bar);
    auto* menu = new QMenu(button);
    menu->addAction(tr("As &CSV…"), this, &EvaluationPage::exportCsv);
    menu->addAction(tr("As &Markdown…"), this, &EvaluationPage::exportMarkdown);
    menu->addAction(tr("Copy as M&arkdown"), this, [this] {
        if (const EvaluationSet* first = find(m_first->currentData().toString())) {
            const EvaluationSet* second = find(m_second->currentData().toString());
            QGuiApplication::clipboard()->setText(toMarkdown(m_model->rows(), *first, second));
        }
    });
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    layout->addWidget(button);
    connect(m_first, &QComboBox::currentIndexChanged, this, &EvaluationPage::showChoice);
    connect(m_second, &QComboBox::currentIndexChanged, this, &EvaluationPage::showChoice);
    return bar;
}

QWidget* EvaluationPage::makeTiles()
{
    auto* tiles = new QWidget(this);
    auto* layout = new QHBoxLayout(tiles);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
    const std::pair<QString, QString> names[] = {
        {tr("Compile rate"), tr("Share of sampled programs that compile; higher is better.")},
        {tr("Correct rate"), tr("Share of sampled programs that are correct; higher is better.")},
        {tr("Faster than the baseline"),
         tr("Share of sampled programs that are correct and faster; higher is better.")},
        {tr("Matrices solved"), tr("Matrices with at least one correct program.")},
        {tr("Best speed-up"), tr("Geometric mean over solved matrices of the best program's speed-up.")}};
    for (const auto& [name, tip] : names) {
        auto* card = makeCard(tiles);
        card->setToolTip(tip);
        auto* column = new QVBoxLayout(card);
        column->setContentsMargins(14, 9, 14, 9);
        column->setSpacing(1);
        auto* value = makeHeading({}, card, 1.6);
        auto* note = makeMuted({}, card);
        column->addWidget(makeMuted(name, card));
        column->addWidget(value);
        column->addWidget(note);
        layout->addWidget(card, 1);
        m_tiles.push_back({value, note});
    }
    return tiles;
}

QWidget* EvaluationPage::makeTable()
{
    auto* card = makeCard(this);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(1, 10, 1, 1);
    auto* heading = makeHeading(tr("By matrix"), card);
    heading->setContentsMargins(12, 0, 0, 0);
    layout->addWidget(heading);
    m_table = new QTableView(card);
    styleTable(m_table);
    m_table->setModel(m_proxy);
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->setAccessibleName(tr("Results by matrix"));
    fitColumns(m_table,
               {QStringLiteral("a-matrix-name"), QStringLiteral("0,000,000"), QStringLiteral("100 %"),
                QStringLiteral("100 %"), QStringLiteral("100 %"), QStringLiteral("000.0 µs"),
                QStringLiteral("000.0 µs"), QStringLiteral("00.00×"), QStringLiteral("100 %"),
                QStringLiteral("00.00×"), QStringLiteral("S1 S2 S3 S4")},
               Matrix);
    m_table->setColumnHidden(OtherCorrect, true);
    m_table->setColumnHidden(OtherSpeedup, true);
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        if (const EvaluationLine* line = m_model->row(m_proxy->mapToSource(index)))
            Q_EMIT navigate(
                line->first.bestProgram.empty()
                    ? Destination{Destination::Kind::KernelsOfMatrix, toQString(line->first.matrixName)}
                    : Destination{Destination::Kind::Program, toQString(line->first.bestProgram)});
    });
    layout->addWidget(m_table, 1);
    return card;
}

EvaluationModel* EvaluationPage::makeModel()
{
    using Line = EvaluationLine;
    const auto time = [](double v) { return v > 0 ? formatMicroseconds(v) : QStringLiteral("–"); };
    const auto percent = [](double v) { return formatPercent(v); };
    const auto ratio = [](double v) { return formatRatio(v); };
    std::vector<RowColumn<Line>> columns;
    columns.push_back({tr("Matrix"), tr("Double-click to see its best program."),
                       [](const Line& line, int role) -> QVariant {
                           if (role == Qt::DisplayRole)
                               return toQString(line.first.matrixName);
                           return {};
                       }});
    columns.push_back(numberColumn(
        tr("Non-zeros"), tr("Number of stored entries."),
        [](const Line& l) { return static_cast<double>(l.first.nnz); },
        [](double v) { return formatCount(static_cast<std::int64_t>(v)); }));
    columns.push_back(numberColumn(
        tr("Compiled"), tr("Share of sampled programs that compile."),
        [](const Line& l) { return share(l.first.compiled, l.first.samples); }, percent));
    columns.push_back(numberColumn(
        tr("Correct"), tr("Share of sampled programs that are correct."),
        [](const Line& l) { return share(l.first.correct, l.first.samples); }, percent));
    columns.push_back(numberColumn(
        tr("Faster"), tr("Share that is correct and faster than the baseline."),
        [](const Line& l) { return share(l.first.faster, l.first.samples); }, percent));
    columns.push_back(numberColumn(
        tr("Best time"), tr("Warm time of the best correct program; lower is better."),
        [](const Line& l) { return l.first.bestMicroseconds; }, time));
    columns.push_back(numberColumn(
        tr("Baseline"), tr("Warm time of the baseline program."),
        [](const Line& l) { return l.first.baselineMicroseconds; }, time));
    columns.push_back(numberColumn(
        tr("Speed-up"), tr("Baseline over best time; higher is better."),
        [](const Line& l) { return bestSpeedup(l.first); }, ratio));
    columns.push_back(numberColumn(
        tr("Correct, other"), tr("The same for the policy compared with."),
        [](const Line& l) { return l.second ? share(l.second->correct, l.second->samples) : -1; }, percent));
    columns.push_back(numberColumn(
        tr("Speed-up, other"), tr("The same for the policy compared with."),
        [](const Line& l) { return l.second ? bestSpeedup(*l.second) : -1; }, ratio));
    columns.push_back(
        {tr("Families"),
         tr("How many correct programs of each kernel family, and the family of the fastest corpus "
            "program measured on the matrix."),
         [](const Line& line, int role) -> QVariant {
             if (role != Qt::DisplayRole)
                 return {};
             const QString text = toQString(familiesText(line.first));
             return text.isEmpty() ? QStringLiteral("–") : text;
         }});
    return new EvaluationModel(
        columns,
        [](const Line& line) {
            return QString(toQString(line.first.matrixDigest) + toQString(line.first.split));
        },
        this);
}

void EvaluationPage::fillMenu(QMenu* menu)
{
    menu->addAction(themedIcon(QStringLiteral("export")), tr("Export as &CSV…"),
                    QKeySequence(Qt::CTRL | Qt::Key_E), this, &EvaluationPage::exportCsv);
    menu->addAction(tr("Export as &Markdown…"), this, &EvaluationPage::exportMarkdown);
}

void EvaluationPage::projectChanged()
{
    m_sets.clear();
    m_model->setRows({});
    const QSignalBlocker first(m_first), second(m_second);
    m_first->clear();
    m_second->clear();
}

void EvaluationPage::refresh()
{
    ask<std::vector<EvaluationRow>>(
        [](ProjectReader& reader) { return reader.evaluations(); },
        [this](const std::vector<EvaluationRow>& rows) { showSets(groupEvaluations(rows)); });
}

void EvaluationPage::showSets(std::vector<EvaluationSet> sets)
{
    m_sets = std::move(sets);
    const bool firstTime = !m_sets.empty() && state() != State::Content;
    setState(m_sets.empty() ? State::Empty : State::Content);
    if (firstTime)
        m_table->setFocus();
    const QString first = m_first->currentData().toString(), second = m_second->currentData().toString();
    {
        const QSignalBlocker a(m_first), b(m_second);
        m_first->clear();
        m_second->clear();
        m_second->addItem(tr("Nothing"), QString());
        for (const EvaluationSet& set : m_sets) {
            m_first->addItem(set.label, set.key);
            m_second->addItem(set.label, set.key);
        }
        m_first->setCurrentIndex(std::max(0, m_first->findData(first)));
        m_second->setCurrentIndex(std::max(0, m_second->findData(second)));
    }
    showChoice();
}

void EvaluationPage::choose(const QString& first, const QString& second)
{
    if (const int at = m_first->findData(first); at >= 0)
        m_first->setCurrentIndex(at);
    m_second->setCurrentIndex(std::max(0, m_second->findData(second)));
}

const EvaluationSet* EvaluationPage::find(const QString& key) const
{
    for (const EvaluationSet& set : m_sets)
        if (!key.isEmpty() && set.key == key)
            return &set;
    return nullptr;
}

void EvaluationPage::showChoice()
{
    const EvaluationSet* first = find(m_first->currentData().toString());
    const EvaluationSet* second = find(m_second->currentData().toString());
    if (!first)
        return;
    if (second == first)
        second = nullptr;
    m_comparing = second != nullptr;
    m_table->setColumnHidden(OtherCorrect, !m_comparing);
    m_table->setColumnHidden(OtherSpeedup, !m_comparing);
    m_table->setColumnHidden(BestTime, m_comparing);
    m_table->setColumnHidden(Baseline, m_comparing);
    m_model->setRows(pairUp(*first, second));
    showTiles(*first, second);
    showCharts(*first, second);
}

void EvaluationPage::showTiles(const EvaluationSet& first, const EvaluationSet* second)
{
    const EvaluationTotals a = totalsOf(first);
    const EvaluationTotals b = second ? totalsOf(*second) : EvaluationTotals();
    const auto set = [&](int index, const QString& value, const QString& alone, const QString& other) {
        m_tiles[index].value->setText(value);
        m_tiles[index].note->setText(second ? tr("other: %1").arg(other) : alone);
    };
    const QString samples = tr("of %1 programs").arg(formatCount(a.samples));
    set(0, formatPercent(a.compiled), samples, formatPercent(b.compiled));
    set(1, formatPercent(a.correct), samples, formatPercent(b.correct));
    set(2, formatPercent(a.faster), samples, formatPercent(b.faster));
    set(3, formatPercent(a.solved), tr("of %1 matrices").arg(formatCount(a.matrices)),
        formatPercent(b.solved));
    set(4, formatRatio(a.meanSpeedup), tr("faster on %1 of %2").arg(a.fasterMatrices).arg(a.matrices),
        formatRatio(b.meanSpeedup));
}

void EvaluationPage::showCharts(const EvaluationSet& first, const EvaluationSet* second)
{
    ChartData pass;
    pass.title = tr("pass@k");
    pass.hint = tr("mean over matrices, higher is better");
    pass.xLabel = tr("k: programs drawn");
    pass.x = ChartX::Whole;
    pass.zeroBased = true;
    ChartData speed;
    speed.title = tr("Best speed-up by matrix");
    speed.hint = tr("dashed: as fast as the baseline");
    speed.zeroBased = true;
    speed.reference = 1;
    int colour = 0;
    for (const EvaluationSet* set : {&first, second}) {
        if (!set)
            continue;
        for (const bool faster : {false, true}) {
            ChartSeries curve;
            const QString what = faster ? tr("faster") : tr("correct");
            curve.name = second ? QStringLiteral("%1 · %2").arg(set->label, what) : what;
            curve.kind = ChartKind::LinesAndPoints;
            curve.colour = colour;
            curve.dash = faster ? 1 : 0;
            curve.curve = passCurve(*set, faster);
            pass.series.append(curve);
        }
        ChartSeries bars;
        bars.name = set->label;
        bars.kind = ChartKind::Bars;
        bars.colour = colour++;
        for (std::size_t i = 0; i < first.rows.size(); ++i) {
            for (const EvaluationRow& row : set->rows) {
                if (row.event.matrixDigest != first.rows[i].event.matrixDigest)
                    continue;
                bars.curve->append(static_cast<double>(i), bestSpeedup(row.event));
                bars.labels.append(toQString(row.event.matrixName));
            }
        }
        speed.series.append(bars);
    }
    m_pass->setData(pass);
    m_speedups->setData(speed);
}

void EvaluationPage::save(const QString& title, const QString& filter, const QString& suffix,
                          const QString& text)
{
    const QString file =
        QFileDialog::getSaveFileName(this, title, QStringLiteral("evaluation") + suffix, filter);
    if (file.isEmpty())
        return;
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(text.toUtf8()) < 0 || !out.commit())
        Q_EMIT problem(tr("%1 could not be written: %2. Choose a folder you can write to.")
                           .arg(file, out.errorString()));
    else
        Q_EMIT statusMessage(tr("Written to %1.").arg(file));
}

void EvaluationPage::exportCsv()
{
    if (const EvaluationSet* first = find(m_first->currentData().toString()))
        save(
            tr("Export as CSV"), tr("Comma-separated values (*.csv)"), QStringLiteral(".csv"),
            toCsv(m_model->rows(), *first, m_comparing ? find(m_second->currentData().toString()) : nullptr));
}

void EvaluationPage::exportMarkdown()
{
    if (const EvaluationSet* first = find(m_first->currentData().toString()))
        save(tr("Export as Markdown"), tr("Markdown (*.md)"), QStringLiteral(".md"),
             toMarkdown(m_model->rows(), *first,
                        m_comparing ? find(m_second->currentData().toString()) : nullptr));
}

} // namespace sparserl
