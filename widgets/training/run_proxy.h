// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/run_filter.h"
#include "widgets/training/run_model.h"

#include <QSortFilterProxyModel>

namespace sparserl {

/// The rows that a RunFilter leaves.
class RunProxy : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setFilter(RunFilter filter);
    /// What the columns behind RunColumns show.
    void setFigures(std::vector<RunFigure> figures) { m_figures = std::move(figures); }
    /// Whether the filter leaves this run.
    bool passes(const RunRow& run) const;

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    /// Groups keep their places and heads stand above their runs, whichever way a column is sorted; what
    /// has no value comes last.
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    RunFilter m_filter;
    std::vector<RunFigure> m_figures;
};

} // namespace sparserl
