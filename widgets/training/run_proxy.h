// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run_filter.h"

#include <QSortFilterProxyModel>

namespace sparserl {

/// The rows that a RunFilter leaves.
class RunProxy : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setFilter(RunFilter filter);
    const RunFilter& filter() const { return m_filter; }

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    /// Groups keep their places and heads stand above their runs, whichever way a column is sorted.
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    RunFilter m_filter;
};

} // namespace sparserl
