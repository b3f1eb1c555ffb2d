// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_scatter.h"

#include "project/run/metrics.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/training/run_figure_store.h"
#include "widgets/training/run_groups.h"
#include "widgets/training/run_list.h"
#include "widgets/training/scatter_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

namespace {

constexpr QLatin1String scatterX("@scatter-x="), scatterY("@scatter-y="), scatterLog("@scatter-log=");

QString keyOf(const std::optional<RunFigure>& figure)
{
    return figure ? toQString(figure->text()) : QString();
}

QComboBox* makeChoice(QWidget* parent, const QString& name)
{
    auto* box = new QComboBox(parent);
    box->setEditable(true); // there are hundreds: typing finds one
    box->setInsertPolicy(QComboBox::NoInsert);
    box->completer()->setCompletionMode(QCompleter::PopupCompletion);
    box->completer()->setFilterMode(Qt::MatchContains);
    box->setAccessibleName(name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(4); // more where there is room; large text has none
    return box;
}

} // namespace

RunScatter::RunScatter(RunList* list, QWidget* parent)
    : QWidget(parent)
    , m_list(list)
    , m_x(makeChoice(this, tr("Over")))
    , m_y(makeChoice(this, tr("Show")))
    , m_logX(new QCheckBox(tr("log&arithmic"), this))
    , m_logY(new QCheckBox(tr("lo&garithmic"), this))
    , m_view(new ScatterView(this))
{
    auto* bar = new QGridLayout; // a line for each: large text has no room for both in one
    bar->setColumnStretch(1, 1);
    const auto add = [&](const QString& text, QComboBox* box, QCheckBox* logarithmic) {
        auto* label = makeMuted(text, this);
        label->setBuddy(box);
        const int line = bar->rowCount();
        bar->addWidget(label, line, 0);
        bar->addWidget(box, line, 1);
        bar->addWidget(logarithmic, line, 2);
        connect(box, &QComboBox::activated, this, [this] {
            setAxes(figureIn(m_x), figureIn(m_y));
            Q_EMIT choiceChanged();
        });
        connect(logarithmic, &QCheckBox::toggled, this, [this] {
            draw();
            Q_EMIT choiceChanged();
        });
    };
    add(tr("Sho&w"), m_y, m_logY);
    add(tr("&over"), m_x, m_logX);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->addLayout(bar);
    layout->addWidget(m_view, 1);
    connect(m_view, &ScatterView::chosen, this, &RunScatter::chosen);
    connect(m_list->figures(), &RunFigureStore::namesChanged, this, [this] {
        if (isVisible())
            refresh();
    });
    connect(m_list, &RunList::figuresChanged, this, &RunScatter::draw);
    connect(m_list, &RunList::changed, this, &RunScatter::draw);
    setFocusProxy(m_view);
}

void RunScatter::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_list->figures()->wantNames();
    refresh();
}

void RunScatter::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_list->figures()->want(QStringLiteral("scatter"), {});
}

void RunScatter::clear()
{
    m_offered.clear();
    m_xFigure.reset();
    m_yFigure.reset();
    m_view->setData(ScatterData());
}

std::optional<RunFigure> RunScatter::figureIn(const QComboBox* box) const
{
    return RunFigure::fromText(box->currentData().toString().toStdString());
}

void RunScatter::fillChoices()
{
    const RunNames& names = m_list->figures()->names();
    QStringList keys, texts;
    const auto offer = [&](const RunFigure& figure) {
        keys.append(toQString(figure.text()));
        texts.append(figureName(figure));
    };
    const auto differing = differingParameters(m_list->figures()->parameters());
    for (const std::string& key : differing)
        offer({RunFigure::Kind::Parameter, key, {}});
    for (const auto& [name, splits] : names.metrics)
        for (const std::string& split : splits)
            offer({RunFigure::Kind::Metric, name, splits.size() > 1 ? split : std::string()});
    for (const std::string& key : names.parameters)
        if (std::find(differing.begin(), differing.end(), key) == differing.end())
            offer({RunFigure::Kind::Parameter, key, {}});
    if (keys != m_offered) {
        m_offered = keys;
        for (QComboBox* box : {m_x, m_y}) {
            const QSignalBlocker blocker(box);
            box->clear();
            for (qsizetype i = 0; i < keys.size(); ++i)
                box->addItem(texts[i], keys[i]);
        }
    }
    chooseFirst();
    const auto show = [](QComboBox* box, const std::optional<RunFigure>& figure) {
        const QSignalBlocker blocker(box);
        box->setCurrentIndex(box->findData(keyOf(figure)));
    };
    show(m_x, m_xFigure);
    show(m_y, m_yFigure);
}

// Something to look at: the first parameter that tells runs apart, and what most runs are about.
void RunScatter::chooseFirst()
{
    if (!m_list->figures()->named())
        return;
    const auto runs = m_list->filtered();
    std::map<std::pair<std::string, std::string>, int>
        headlines; // and their splits: evaluations have another
    for (const RunRow& run : runs)
        if (!run.headline.empty())
            ++headlines[{run.headline, run.headlineSplit}];
    const auto most = std::max_element(headlines.begin(), headlines.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (!m_xFigure)
        if (const auto key = tellingParameter(m_list->figures()->parameters(), runs,
                                              most == headlines.end() ? std::string() : most->first.first))
            m_xFigure = RunFigure{RunFigure::Kind::Parameter, *key, {}};
    if (m_yFigure || most == headlines.end())
        return;
    const auto& metrics = m_list->figures()->names().metrics;
    const auto& [metric, split] = most->first;
    const auto known = metrics.find(metric);
    const bool several = known != metrics.end() && known->second.size() > 1;
    m_yFigure = RunFigure{RunFigure::Kind::Metric, metric, several ? split : std::string()};
}

void RunScatter::refresh()
{
    if (!isVisible())
        return;
    fillChoices();
    std::vector<RunFigure> wanted;
    for (const auto& figure : {m_xFigure, m_yFigure})
        if (figure)
            wanted.push_back(*figure);
    m_list->figures()->want(QStringLiteral("scatter"), wanted);
    draw();
}

void RunScatter::draw()
{
    if (!isVisible())
        return;
    ScatterData data;
    data.logX = m_logX->isChecked();
    data.logY = m_logY->isChecked();
    data.emptyText =
        m_list->figures()->named()
            ? tr("No run of the list has a value for both quantities. Choose other quantities above.")
            : tr("Reading the runs…");
    if (m_list->figures()->named() && !(m_xFigure && m_yFigure))
        data.emptyText = m_yFigure ? tr("No parameter differs between the runs that report %1. Choose a "
                                        "quantity for each axis above.")
                                         .arg(figureName(*m_yFigure))
                                   : tr("Choose a quantity for each axis above.");
    if (m_xFigure && m_yFigure) {
        data.xName = figureName(*m_xFigure);
        data.yName = figureName(*m_yFigure);
        const auto runs = m_list->filtered();
        // Where a run has a text, all are texts, in their order.
        std::map<QString, FigureOrder> texts;
        bool text = false;
        for (const RunRow& run : runs) {
            const FigureOrder order = figureOrder(run, *m_xFigure);
            if (order.missing || m_xFigure->kind != RunFigure::Kind::Parameter)
                continue;
            const std::string* value = run.figures ? run.figures->parameter(m_xFigure->name) : nullptr;
            if (value)
                texts.emplace(toQString(*value), order);
            text = text || !order.text.isEmpty() || (value && (*value == "true" || *value == "false"));
        }
        std::map<QString, double> places;
        if (text) {
            data.logX = false;
            std::vector<std::pair<QString, FigureOrder>> sorted(texts.begin(), texts.end());
            std::stable_sort(sorted.begin(), sorted.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
            for (const auto& [name, order] : sorted) {
                places[name] = static_cast<double>(data.xTexts.size());
                data.xTexts.append(name);
            }
        }
        for (const RunRow& run : runs) {
            const auto y = run.figures ? run.figures->number(*m_yFigure) : std::nullopt;
            auto x = run.figures ? run.figures->number(*m_xFigure) : std::nullopt;
            if (text) {
                const std::string* value = run.figures ? run.figures->parameter(m_xFigure->name) : nullptr;
                x = value ? std::optional(places[toQString(*value)]) : std::nullopt;
            }
            if (x && y)
                data.points.push_back({toQString(run.name), runLabel(run), *x, *y, runColour(run)});
        }
    }
    m_logX->setEnabled(data.xTexts.isEmpty());
    const auto current = m_list->current();
    m_view->setCurrent(current ? toQString(current->name) : QString());
    m_view->setData(std::move(data));
}

void RunScatter::setAxes(std::optional<RunFigure> x, std::optional<RunFigure> y)
{
    m_xFigure = std::move(x);
    m_yFigure = std::move(y);
    refresh();
}

void RunScatter::setLogarithmic(bool x, bool y)
{
    m_logX->setChecked(x);
    m_logY->setChecked(y);
}

QStringList RunScatter::look() const
{
    QStringList lines;
    if (m_xFigure)
        lines.append(scatterX + keyOf(m_xFigure));
    if (m_yFigure)
        lines.append(scatterY + keyOf(m_yFigure));
    if (m_logX->isChecked() || m_logY->isChecked())
        lines.append(scatterLog +
                     QString::number((m_logX->isChecked() ? 1 : 0) + (m_logY->isChecked() ? 2 : 0)));
    return lines;
}

void RunScatter::setLook(const QStringList& lines)
{
    m_xFigure.reset();
    m_yFigure.reset();
    int logarithmic = 0;
    for (const QString& line : lines) {
        const std::string value = line.section(QLatin1Char('='), 1).toStdString();
        if (line.startsWith(scatterX))
            m_xFigure = RunFigure::fromText(value);
        else if (line.startsWith(scatterY))
            m_yFigure = RunFigure::fromText(value);
        else if (line.startsWith(scatterLog))
            logarithmic = QString::fromStdString(value).toInt();
    }
    setLogarithmic((logarithmic & 1) != 0, (logarithmic & 2) != 0);
    refresh();
}

} // namespace sparserl
