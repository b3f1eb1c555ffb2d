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

/// A tree of all metrics of some runs, under the headings of project/run/metrics.def. The user can search and
/// tick metrics.
class MetricTree : public QWidget
{
    Q_OBJECT

public:
    explicit MetricTree(QWidget* parent = nullptr);

    /// `chosen`: the metrics that have a chart.
    void setMetrics(const std::vector<std::string>& names, const std::set<std::string>& chosen);
    /// Shows the metrics whose name, heading or meaning contains this text.
    void setFilter(const QString& text);
    void focusFilter();

    const QStandardItemModel* model() const { return m_model; }
    /// The rows that pass the filter.
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
