// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_columns_dialog.h"

#include "project/run/metrics.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/training/run_model.h"

#include <QDialogButtonBox>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

namespace sparserl {

namespace {

enum ColumnRole
{
    ColumnNumberRole = Qt::UserRole + 1,
    FigureTextRole,
    ColumnSearchRole
};

QString panelOf(const std::string& metric)
{
    const MetricDescription* known = findMetric(metric);
    return known ? QString::fromUtf8(known->panel.data(), static_cast<qsizetype>(known->panel.size()))
                 : RunColumnsDialog::tr("Other metrics");
}

QString helpOf(const RunFigure& figure)
{
    const MetricDescription* known =
        figure.kind == RunFigure::Kind::Metric ? findMetric(figure.name) : nullptr;
    return known ? QString::fromUtf8(known->help.data(), static_cast<qsizetype>(known->help.size()))
                 : QString();
}

} // namespace

RunColumnsDialog::RunColumnsDialog(QWidget* parent)
    : QDialog(parent)
    , m_search(new QLineEdit(this))
    , m_tree(new QTreeView(this))
    , m_model(new QStandardItemModel(this))
    , m_proxy(new QSortFilterProxyModel(this))
{
    setWindowTitle(tr("Columns of the run list"));
    m_proxy->setSourceModel(m_model);
    m_proxy->setFilterRole(ColumnSearchRole);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_proxy->setRecursiveFilteringEnabled(true);
    m_search->setPlaceholderText(tr("Find a metric, a parameter or a tag"));
    m_search->setAccessibleName(tr("Find a column"));
    m_search->setClearButtonEnabled(true);
    m_tree->setModel(m_proxy);
    m_tree->setHeaderHidden(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setProperty("roomy", true); // ticks are higher than a line of text
    m_tree->setAccessibleName(tr("Columns; tick a column to show it"));
    m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    auto* layout = new QVBoxLayout(this);
    auto* about = makeMuted(tr("A ticked column is added after the columns that are already shown. The list "
                               "can be sorted by any column."),
                            this);
    about->setWordWrap(true);
    layout->addWidget(about);
    layout->addWidget(m_search);
    layout->addWidget(m_tree, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    layout->addWidget(buttons);
    resize(26 * fontMetrics().height(), 30 * fontMetrics().height());
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_proxy->setFilterFixedString(text);
        if (!text.isEmpty())
            m_tree->expandAll();
    });
    connect(m_model, &QStandardItemModel::itemChanged, this, &RunColumnsDialog::itemChanged);
}

void RunColumnsDialog::setReading(bool on)
{
    m_search->setPlaceholderText(on ? tr("Reading the runs…") : tr("Find a metric, a parameter or a tag"));
}

void RunColumnsDialog::setFilter(const QString& text)
{
    m_search->setText(text);
}

QStandardItem* RunColumnsDialog::addHeading(const QString& title, bool open)
{
    auto* heading = new QStandardItem(title);
    heading->setEditable(false);
    m_model->appendRow(heading);
    if (open)
        m_tree->expand(m_proxy->mapFromSource(heading->index()));
    return heading;
}

void RunColumnsDialog::addFigure(QStandardItem* heading, const RunFigure& figure,
                                 const std::vector<RunFigure>& chosen)
{
    auto* item = new QStandardItem(figureName(figure));
    const QString help = helpOf(figure);
    item->setEditable(false);
    item->setCheckable(true);
    item->setCheckState(std::find(chosen.begin(), chosen.end(), figure) != chosen.end() ? Qt::Checked
                                                                                        : Qt::Unchecked);
    item->setToolTip(help);
    item->setData(toQString(figure.text()), FigureTextRole);
    item->setData(QString(item->text() + QLatin1Char(' ') + heading->text() + QLatin1Char(' ') + help),
                  ColumnSearchRole);
    heading->appendRow(item);
}

void RunColumnsDialog::setChoices(const RunNames& names, const std::vector<std::string>& differing,
                                  const std::set<int>& shown, const std::vector<RunFigure>& chosen)
{
    const QScopedValueRollback filling(m_filling, true);
    m_model->clear();
    QStandardItem* own = addHeading(tr("For every run"), true);
    for (int column = 0; column < RunColumns; ++column) {
        auto* item = new QStandardItem(runColumnName(column));
        item->setEditable(false);
        item->setCheckable(true);
        item->setCheckState(shown.contains(column) ? Qt::Checked : Qt::Unchecked);
        item->setEnabled(column != RunName);
        item->setData(column, ColumnNumberRole);
        item->setData(item->text(), ColumnSearchRole);
        own->appendRow(item);
    }
    if (!names.tags.empty()) {
        QStandardItem* heading = addHeading(tr("Tags"), true);
        for (const std::string& tag : names.tags)
            addFigure(heading, {RunFigure::Kind::Tag, tag, {}}, chosen);
    }
    if (!differing.empty()) {
        QStandardItem* heading = addHeading(tr("Parameters that differ"), true);
        for (const std::string& key : differing)
            addFigure(heading, {RunFigure::Kind::Parameter, key, {}}, chosen);
    }
    // In the order of metrics.def, as the tree of the charts has them.
    std::vector<std::pair<QString, QStandardItem*>> headings;
    const auto headingFor = [&](const QString& panel) {
        const auto at = std::find_if(headings.begin(), headings.end(),
                                     [&](const auto& heading) { return heading.first == panel; });
        if (at != headings.end())
            return at->second;
        headings.emplace_back(panel, addHeading(tr("Metrics: %1").arg(panel), false));
        return headings.back().second;
    };
    for (const MetricDescription& description : metricDescriptions()) {
        for (const auto& [name, splits] : names.metrics)
            if (findMetric(name) == &description)
                for (const std::string& split : splits)
                    addFigure(headingFor(panelOf(name)),
                              {RunFigure::Kind::Metric, name, splits.size() > 1 ? split : std::string()},
                              chosen);
    }
    for (const auto& [name, splits] : names.metrics)
        if (!findMetric(name))
            for (const std::string& split : splits)
                addFigure(headingFor(panelOf(name)),
                          {RunFigure::Kind::Metric, name, splits.size() > 1 ? split : std::string()}, chosen);
    QStandardItem* others = nullptr;
    for (const std::string& key : names.parameters) {
        if (std::find(differing.begin(), differing.end(), key) != differing.end())
            continue;
        others = others ? others : addHeading(tr("Parameters that are the same in all runs"), false);
        addFigure(others, {RunFigure::Kind::Parameter, key, {}}, chosen);
    }
    if (!m_search->text().isEmpty())
        m_tree->expandAll();
}

void RunColumnsDialog::itemChanged(QStandardItem* item)
{
    if (m_filling)
        return;
    const bool on = item->checkState() == Qt::Checked;
    if (const QVariant column = item->data(ColumnNumberRole); column.isValid())
        Q_EMIT columnToggled(column.toInt(), on);
    else if (const auto figure = RunFigure::fromText(item->data(FigureTextRole).toString().toStdString()))
        Q_EMIT figureToggled(*figure, on);
}

} // namespace sparserl
