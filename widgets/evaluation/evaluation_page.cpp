// SPDX-License-Identifier: Apache-2.0
#include "widgets/evaluation/evaluation_page.h"

#include "base/files.h"
#include "training/evaluated/evaluation_baselines.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/icons.h"
#include "widgets/common/new_file.h"
#include "widgets/common/panels.h"
#include "widgets/common/tab_menu.h"
#include "widgets/evaluation/box_view.h"
#include "widgets/evaluation/comparison_view.h"
#include "widgets/evaluation/evaluation_charts.h"
#include "widgets/evaluation/matrix_results.h"
#include "widgets/evaluation/policy_list.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace sparserl {

namespace {

/// A change of what is remembered begins with another number: an older state is then forgotten.
const QString stateVersion = QStringLiteral("1");

QComboBox* makeCombo(const QString& name, QWidget* parent)
{
    auto* box = new QComboBox(parent);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8); // long names are cut, not the window widened
    box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    box->setMaximumWidth(300);
    box->setAccessibleName(name);
    return box;
}

} // namespace

EvaluationPage::EvaluationPage(QWidget* parent)
    : ProjectPage(parent)
    , m_policies(new PolicyList(this))
    , m_split(makeCombo(tr("Matrices"), this))
    , m_other(makeCombo(tr("Compare with"), this))
    , m_passes(makeCombo(tr("Pass criterion"), this))
    , m_pass(new ChartWidget(this))
    , m_rates(new ChartWidget(this))
    , m_boxes(new BoxView(this))
    , m_comparison(new ComparisonView(this))
    , m_matrices(new MatrixResults(this))
    , m_tabs(new QTabWidget(this))
    , m_view(std::make_shared<const EvaluationView>())
    , m_read(std::make_shared<Read>())
{
    setObjectName(QStringLiteral("evaluation"));
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setDrawBase(false); // it would be a line between two cards
    m_tabs->addTab(makeRates(), tr("&Rates"));
    m_tabs->addTab(m_boxes, tr("By non-&zeros"));
    m_tabs->addTab(m_comparison, tr("C&omparison"));
    m_tabs->addTab(m_matrices, tr("&Matrices"));
    listTabsThatDoNotFit(m_tabs);
    auto* card = makeCard(this);
    auto* inside = new QVBoxLayout(card);
    inside->setContentsMargins(1, 1, 1, 1);
    inside->addWidget(m_policies);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setObjectName(QStringLiteral("evaluation.splitter"));
    splitter->setHandleWidth(10);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(card);
    splitter->addWidget(m_tabs);
    splitter->setStretchFactor(1, 1);
    auto* content = new QWidget(this);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(makeBar());
    layout->addWidget(splitter, 1);
    auto* empty =
        new EmptyState(QStringLiteral("evaluation"), tr("No evaluation yet"),
                       tr("An evaluation samples programs for matrices and counts how many are correct and "
                          "how many are fast. On the Training page, start a run of the “evaluation” stage "
                          "from a checkpoint, or run the project's job, which ends with an evaluation."),
                       this);
    connect(empty->addButton(tr("Go to training"), true), &QPushButton::clicked, this, [this] {
        Q_EMIT navigate({Destination::Kind::Training, {}});
    });
    setUp(empty, content);
    connect(m_policies, &PolicyList::ticked, this, &EvaluationPage::tick);
    connect(m_policies, &PolicyList::currentChangedTo, m_matrices, &MatrixResults::setPolicy);
    const auto open = [this](const QString& key) {
        m_policies->setCurrent(key);
        showTab(Tab::Matrices);
        m_matrices->focusTable();
    };
    connect(m_policies, &PolicyList::opened, this, open);
    connect(m_comparison, &ComparisonView::opened, this, open);
    connect(m_matrices, &MatrixResults::navigate, this, &Page::navigate);
    connect(m_tabs, &QTabWidget::currentChanged, this, &EvaluationPage::tellViewState);
}

QWidget* EvaluationPage::makeBar()
{
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(2, 0, 0, 0);
    const auto label = [&](const QString& text, QComboBox* box) {
        auto* words = makeMuted(text, bar);
        words->setBuddy(box);
        layout->addWidget(words);
        layout->addWidget(box);
    };
    layout->addWidget(makeHeading(tr("Evaluation"), bar, 1.2));
    layout->addSpacing(16);
    label(tr("&Split"), m_split);
    layout->addSpacing(10);
    label(tr("&Compare with"), m_other);
    layout->addStretch();
    auto* button = makeToolButton(QStringLiteral("export"), tr("Export"), tr("Export tables"), bar);
    auto* menu = new QMenu(button);
    addExports(menu, false);
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    layout->addWidget(button);
    connect(m_split, &QComboBox::activated, this, [this] {
        EvaluationChoice choice = m_choice;
        choice.split = m_split->currentData().toString();
        choose(choice);
    });
    connect(m_other, &QComboBox::activated, this, [this] {
        EvaluationChoice choice = m_choice;
        choice.shown = m_view->choice.shown;
        choice.other = m_other->currentData().toString();
        if (!choice.shown.contains(choice.other)) {
            choice.shown.append(choice.other);
            choice.chosen = true;
        }
        choose(choice);
    });
    return bar;
}

QWidget* EvaluationPage::makeRates()
{
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(8);
    auto* row = new QHBoxLayout;
    auto* words = makeMuted(tr("A &pass is"), page);
    words->setBuddy(m_passes);
    m_passes->addItem(tr("a correct program"), false);
    m_passes->addItem(tr("a correct and faster program"), true);
    row->addWidget(words);
    row->addWidget(m_passes);
    row->addStretch();
    layout->addLayout(row);
    auto* splitter = new QSplitter(Qt::Horizontal, page);
    splitter->setObjectName(QStringLiteral("evaluation.rates"));
    splitter->setHandleWidth(10);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(m_pass);
    splitter->addWidget(m_rates);
    splitter->setSizes({500, 500});
    layout->addWidget(splitter, 1);
    connect(m_passes, &QComboBox::activated, this, [this] {
        EvaluationChoice choice = m_choice;
        choice.fasterOnly = m_passes->currentData().toBool();
        choose(choice);
    });
    return page;
}

void EvaluationPage::addExports(QMenu* menu, bool shortcut)
{
    const QString csv = QStringLiteral(".csv"), markdown = QStringLiteral(".md"),
                  latex = QStringLiteral(".tex");
    QAction* first = menu->addAction(themedIcon(QStringLiteral("export")), tr("This table as &CSV…"),
                                     shortcut ? QKeySequence(Qt::CTRL | Qt::Key_E) : QKeySequence(), this,
                                     [=, this] { chooseFile(csv, false); });
    first->setToolTip(tr("Export this table as CSV"));
    menu->addAction(tr("This table as &Markdown…"), this, [=, this] { chooseFile(markdown, false); });
    menu->addAction(tr("This table as &LaTeX…"), this, [=, this] { chooseFile(latex, false); });
    menu->addSeparator();
    menu->addAction(tr("All tables as M&arkdown…"), this, [=, this] { chooseFile(markdown, true); });
    menu->addAction(tr("All tables as La&TeX…"), this, [=, this] { chooseFile(latex, true); });
    menu->addSeparator();
    menu->addAction(tr("Copy this table as Mar&kdown"), this, [this] { copy(toMarkdown); });
    menu->addAction(tr("Copy this table as LaTe&X"), this, [this] { copy(toLatex); });
}

void EvaluationPage::fillMenu(QMenu* menu)
{
    addExports(menu, true);
}

void EvaluationPage::projectChanged()
{
    m_choice = {};
    m_read = std::make_shared<Read>();
    showView(std::make_shared<const EvaluationView>());
}

void EvaluationPage::refresh()
{
    using Answer = std::shared_ptr<const EvaluationView>;
    ask<Answer>(
        [read = m_read, choice = m_choice](ProjectReader& reader) -> Result<Answer> {
            SPARSERL_TRY(const auto version, reader.evaluationsVersion());
            if (!read->sets || version != read->version) {
                SPARSERL_TRY(const auto rows, reader.evaluations());
                read->sets = std::make_shared<const std::vector<EvaluationSet>>(groupEvaluations(rows));
                read->version = version;
                read->view.reset();
            }
            // The index changes four times a second while something runs, evaluations seldom.
            if (!read->view || choice != read->choice) {
                read->view = std::make_shared<const EvaluationView>(viewOf(read->sets, choice));
                read->choice = choice;
            }
            return read->view;
        },
        [this](const Answer& view) {
            if (view == m_view)
                return;
            const bool first = !view->sets->empty() && state() != State::Content;
            setState(view->sets->empty() ? State::Empty : State::Content);
            showView(view);
            if (first)
                m_policies->setFocus();
        });
}

void EvaluationPage::showView(std::shared_ptr<const EvaluationView> view)
{
    m_view = std::move(view);
    m_policies->showView(*m_view);
    fillCombos();
    m_pass->setData(sparserl::passChart(*m_view));
    m_rates->setData(sparserl::ratesChart(*m_view));
    m_boxes->showView(*m_view);
    m_comparison->showView(*m_view);
    m_matrices->showView(m_view, m_policies->current());
}

void EvaluationPage::fillCombos()
{
    QStringList splits;
    if (m_view->sets)
        for (const EvaluationSet& set : *m_view->sets)
            for (const EvaluationRow& row : set.rows)
                if (const QString split = toQString(row.event.split); !splits.contains(split))
                    splits.append(split);
    const QString& shown = m_view->sets ? m_view->choice.split : m_choice.split;
    if (!splits.contains(shown) && !shown.isEmpty())
        splits.append(shown);
    splits.sort();
    const auto fill = [](QComboBox* box, const QList<std::pair<QString, QString>>& items,
                         const QString& current) {
        QList<std::pair<QString, QString>> old;
        for (int i = 0; i < box->count(); ++i)
            old.append({box->itemText(i), box->itemData(i).toString()});
        if (old != items) { // an open list is not torn away by an answer that changes nothing
            box->clear();
            for (const auto& [text, key] : items)
                box->addItem(text, key);
        }
        box->setCurrentIndex(box->findData(current));
    };
    QList<std::pair<QString, QString>> items;
    for (const QString& split : splits)
        items.append({tr("%1 matrices").arg(splitName(split)), split});
    items.append({tr("All matrices"), QString()});
    fill(m_split, items, shown);
    items.clear();
    for (const PolicyLine& line : m_view->policies)
        items.append({line.name(), line.key});
    fill(m_other, items, m_view->choice.other);
    m_other->setEnabled(items.size() > 1);
    m_other->setToolTip(items.size() > 1 ? QString() : tr("There is only one policy so far."));
    m_passes->setCurrentIndex(m_choice.fasterOnly ? 1 : 0);
}

void EvaluationPage::choose(const EvaluationChoice& choice)
{
    m_choice = choice;
    tellViewState();
    refresh();
}

void EvaluationPage::tick(const QString& key, bool on)
{
    EvaluationChoice choice = m_choice;
    choice.shown = m_view->choice.shown;
    choice.chosen = true;
    choice.shown.removeAll(key);
    if (on)
        choice.shown.append(key);
    else if (m_view->choice.other == key)
        choice.other.clear(); // what is not shown is not compared with, either
    choose(choice);
}

void EvaluationPage::showTab(Tab tab)
{
    m_tabs->setCurrentIndex(static_cast<int>(tab));
}

void EvaluationPage::restoreViewState(const QStringList& state)
{
    const QScopedValueRollback restoring(m_restoring, true);
    if (state.size() < 6 || state[0] != stateVersion)
        return;
    m_choice.split = state[1];
    m_choice.other = state[2];
    m_choice.fasterOnly = state[3] == QLatin1String("faster");
    m_tabs->setCurrentIndex(std::clamp(state[4].toInt(), 0, m_tabs->count() - 1));
    m_choice.chosen = state[5] == QLatin1String("chosen");
    m_choice.shown = state.mid(6);
    fillCombos();
}

void EvaluationPage::tellViewState()
{
    if (m_restoring || !session())
        return;
    Q_EMIT viewStateChanged(
        QStringList{stateVersion, m_choice.split, m_choice.other,
                    m_choice.fasterOnly ? QStringLiteral("faster") : QStringLiteral("correct"),
                    QString::number(m_tabs->currentIndex()),
                    m_choice.chosen ? QStringLiteral("chosen") : QStringLiteral("newest")} +
        m_choice.shown);
}

TextTable EvaluationPage::shownTable() const
{
    switch (static_cast<Tab>(m_tabs->currentIndex())) {
    case Tab::Boxes:
        return boxTable(m_view->results);
    case Tab::Comparison:
        return m_view->comparisonTable();
    case Tab::Matrices:
        return matrixTable(m_view->results);
    case Tab::Rates:
        break;
    }
    return policyTable(m_view->results);
}

std::vector<TextTable> EvaluationPage::tables() const
{
    std::vector<TextTable> list{policyTable(m_view->results), baselineTable(m_view->results),
                                sizeTable(m_view->results), boxTable(m_view->results)};
    if (!m_view->comparison.empty())
        list.push_back(m_view->comparisonTable());
    list.push_back(matrixTable(m_view->results));
    return list;
}

Status EvaluationPage::exportTo(const std::filesystem::path& file, bool all) const
{
    const auto format = file.extension() == ".csv"   ? toCsv
                        : file.extension() == ".tex" ? toLatex
                                                     : toMarkdown;
    if (!all)
        return writeFileAtomic(file, format(shownTable()));
    std::string text;
    for (const TextTable& table : tables())
        text += (text.empty() ? "" : "\n") + format(table);
    return writeFileAtomic(file, text);
}

bool EvaluationPage::hasTables()
{
    if (m_view->results.empty())
        Q_EMIT statusMessage(tr("There is nothing to export: no policy is ticked."));
    return !m_view->results.empty();
}

void EvaluationPage::chooseFile(const QString& suffix, bool all)
{
    if (!hasTables())
        return;
    const QString filter = suffix == QLatin1String(".csv")   ? tr("Comma-separated values (*.csv)")
                           : suffix == QLatin1String(".tex") ? tr("LaTeX (*.tex)")
                                                             : tr("Markdown (*.md)");
    QString file = chooseNewFile(this, tr("Export tables"), QStringLiteral("evaluation") + suffix, filter);
    if (file.isEmpty())
        return;
    if (!file.endsWith(suffix))
        file += suffix;
    if (const auto written = exportTo(file.toStdString(), all); !written)
        Q_EMIT problem(sentenceOf(written.error()));
    else
        Q_EMIT statusMessage(tr("Written to %1.").arg(file));
}

void EvaluationPage::copy(std::string (*format)(const TextTable&))
{
    if (hasTables())
        QGuiApplication::clipboard()->setText(toQString(format(shownTable())));
}

} // namespace sparserl
