// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/run_filter.h"
#include "widgets/training/run_model.h"

#include <QSortFilterProxyModel>

namespace sparserl {

/// The rows that pass a RunFilter.
class RunProxy : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setFilter(RunFilter filter);
    /// Sets the figures of the columns that follow those of RunColumn.
    void setFigures(std::vector<RunFigure> figures) { m_figures = std::move(figures); }
    /// Whether this run passes the filter.
    bool passes(const RunRow& run) const;

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    /// In both sort orders, groups keep their places, heads are above their runs, and rows without a value
    /// come last.
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    RunFilter m_filter;
    std::vector<RunFigure> m_figures;
};

} // namespace sparserl
