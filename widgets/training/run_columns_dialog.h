// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/run_figures.h"

#include <QDialog>
#include <set>
#include <vector>

class QLineEdit;
class QSortFilterProxyModel;
class QStandardItem;
class QStandardItemModel;
class QTreeView;

namespace sparserl {

/// Selects the columns of the list of runs: values that every run has, metrics, parameters and tags. A tick
/// takes effect at once.
class RunColumnsDialog : public QDialog
{
    Q_OBJECT

public:
    explicit RunColumnsDialog(QWidget* parent = nullptr);

    /// `differing`: the parameters whose values differ between runs; they are listed first. `shown`: the
    /// columns of RunColumn that are visible.
    void setChoices(const RunNames& names, const std::vector<std::string>& differing,
                    const std::set<int>& shown, const std::vector<RunFigure>& chosen);
    /// Sets whether names are still being read.
    void setReading(bool on);
    void setFilter(const QString& text);
    QStandardItemModel* model() const { return m_model; }
    QSortFilterProxyModel* visibleModel() const { return m_proxy; }

Q_SIGNALS:
    void columnToggled(int column, bool on);
    void figureToggled(const RunFigure& figure, bool on);

private:
    QStandardItem* addHeading(const QString& title, bool open);
    void addFigure(QStandardItem* heading, const RunFigure& figure, const std::vector<RunFigure>& chosen);
    void itemChanged(QStandardItem* item);

    QLineEdit* m_search;
    QTreeView* m_tree;
    QStandardItemModel* m_model;
    QSortFilterProxyModel* m_proxy;
    bool m_filling = false;
};

} // namespace sparserl
