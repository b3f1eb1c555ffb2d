// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <set>
#include <string>
#include <vector>

class QLineEdit;
class QSortFilterProxyModel;
class QStandardItem;
class QStandardItemModel;
class QTreeView;

namespace sparserl {

/// All metrics of some runs, under the headings of project/run/metrics.def, to be searched and ticked.
class MetricTree : public QWidget
{
    Q_OBJECT

public:
    explicit MetricTree(QWidget* parent = nullptr);

    /// `chosen`: those that have a chart.
    void setMetrics(const std::vector<std::string>& names, const std::set<std::string>& chosen);
    /// Looks for this text in names, headings and meanings.
    void setFilter(const QString& text);
    void focusFilter();

    const QStandardItemModel* model() const { return m_model; }
    /// What is seen under the filter.
    QSortFilterProxyModel* visibleModel() const { return m_proxy; }

Q_SIGNALS:
    void toggled(const QString& metric, bool on);

private:
    void itemChanged(QStandardItem* item);

    QLineEdit* m_search;
    QTreeView* m_tree;
    QStandardItemModel* m_model;
    QSortFilterProxyModel* m_proxy;
    std::vector<std::string> m_names;
    std::set<std::string> m_chosen;
    bool m_filling = false;
};

} // namespace sparserl
