// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/metric_tree.h"

#include "project/run/metrics.h"
#include "widgets/common/format.h"

#include <QLineEdit>
#include <QScopedValueRollback>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

namespace sparserl {

namespace {

enum Role
{
    NameRole = Qt::UserRole + 1,
    SearchRole
};

QString headingOf(const std::string& name)
{
    const MetricDescription* description = findMetric(name);
    return description ? toQString(description->panel) : MetricTree::tr("Others");
}

QStandardItem* makeItem(const std::string& name, bool chosen)
{
    const MetricDescription* description = findMetric(name);
    const QString help = description ? toQString(description->help) : QString();
    auto* item = new QStandardItem(toQString(name));
    item->setData(toQString(name), NameRole);
    item->setData(QString(toQString(name) + QLatin1Char(' ') + headingOf(name) + QLatin1Char(' ') + help),
                  SearchRole);
    item->setToolTip(help);
    item->setCheckable(true);
    item->setEditable(false);
    item->setCheckState(chosen ? Qt::Checked : Qt::Unchecked);
    return item;
}

/// Rows as high as those of the tables, whatever the size of text.
class RowDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return {QStyledItemDelegate::sizeHint(option, index).width(), option.fontMetrics.height() + 7};
    }
};

} // namespace

MetricTree::MetricTree(QWidget* parent)
    : QWidget(parent)
    , m_search(new QLineEdit(this))
    , m_tree(new QTreeView(this))
    , m_model(new QStandardItemModel(this))
    , m_proxy(new QSortFilterProxyModel(this))
{
    m_proxy->setSourceModel(m_model);
    m_proxy->setFilterRole(SearchRole);
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_proxy->setRecursiveFilteringEnabled(true);
    m_search->setPlaceholderText(tr("Find a metric"));
    m_search->setAccessibleName(tr("Find a metric"));
    m_search->setClearButtonEnabled(true);
    m_tree->setModel(m_proxy);
    m_tree->setItemDelegate(new RowDelegate(m_tree));
    m_tree->setHeaderHidden(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setIndentation(14);
    m_tree->setAccessibleName(tr("Metrics; a tick adds a chart"));
    m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_search);
    layout->addWidget(m_tree, 1);
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_proxy->setFilterFixedString(text);
        if (!text.isEmpty())
            m_tree->expandAll();
    });
    connect(m_model, &QStandardItemModel::itemChanged, this, &MetricTree::itemChanged);
}

void MetricTree::setFilter(const QString& text)
{
    m_search->setText(text);
}

void MetricTree::focusFilter()
{
    m_search->setFocus();
}

void MetricTree::setMetrics(const std::vector<std::string>& names, const std::set<std::string>& chosen)
{
    if (names == m_names && chosen == m_chosen)
        return;
    const QScopedValueRollback filling(m_filling, true);
    const bool sameRows = names == m_names;
    m_names = names;
    m_chosen = chosen;
    if (sameRows) {
        for (int g = 0; g < m_model->rowCount(); ++g)
            for (int i = 0; i < m_model->item(g)->rowCount(); ++i) {
                QStandardItem* item = m_model->item(g)->child(i);
                const std::string name = item->data(NameRole).toString().toStdString();
                item->setCheckState(chosen.contains(name) ? Qt::Checked : Qt::Unchecked);
            }
        return;
    }
    m_model->clear();
    const auto group = [&](const QString& heading) {
        const auto found = m_model->findItems(heading);
        if (!found.isEmpty())
            return found.first();
        auto* item = new QStandardItem(heading);
        item->setEditable(false);
        QFont bold = item->font();
        bold.setWeight(QFont::DemiBold);
        item->setFont(bold);
        m_model->appendRow(item);
        return item;
    };
    // Headings in the order of metrics.def, what it does not know at the end.
    std::set<const MetricDescription*> known;
    for (const std::string& name : names)
        known.insert(findMetric(name));
    for (const MetricDescription& description : metricDescriptions())
        if (known.contains(&description))
            group(toQString(description.panel));
    for (const std::string& name : names) {
        QStandardItem* item = makeItem(name, chosen.contains(name));
        group(headingOf(name))->appendRow(item);
    }
    for (int g = 0; g < m_model->rowCount(); ++g) {
        bool ticked = !m_search->text().isEmpty();
        for (int i = 0; i < m_model->item(g)->rowCount(); ++i)
            ticked = ticked || m_model->item(g)->child(i)->checkState() == Qt::Checked;
        m_tree->setExpanded(m_proxy->mapFromSource(m_model->item(g)->index()), ticked);
    }
}

void MetricTree::itemChanged(QStandardItem* item)
{
    if (m_filling || !item->isCheckable())
        return;
    const QString name = item->data(NameRole).toString();
    const bool on = item->checkState() == Qt::Checked;
    if (on == m_chosen.contains(name.toStdString()))
        return;
    if (on)
        m_chosen.insert(name.toStdString());
    else
        m_chosen.erase(name.toStdString());
    Q_EMIT toggled(name, on);
}

} // namespace sparserl
