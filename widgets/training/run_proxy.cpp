// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_proxy.h"

#include "widgets/training/run_model.h"

namespace sparserl {

void RunProxy::setFilter(RunFilter filter)
{
    m_filter = std::move(filter);
    invalidateFilter();
}

bool RunProxy::filterAcceptsRow(int row, const QModelIndex&) const
{
    const RunRow* run = static_cast<RunModel*>(sourceModel())->row(sourceModel()->index(row, 0));
    if (run && run->head)
        return !run->head->runs.empty();
    return run && !run->hidden && m_filter.matches(*run);
}

bool RunProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const
{
    const auto* model = static_cast<RunModel*>(sourceModel());
    const RunRow *a = model->row(left), *b = model->row(right);
    // Descending, Qt asks with left and right exchanged.
    const bool ascending = sortOrder() == Qt::AscendingOrder;
    if (a->group != b->group)
        return (a->group < b->group) == ascending;
    if ((a->head != nullptr) != (b->head != nullptr))
        return (a->head != nullptr) == ascending;
    return QSortFilterProxyModel::lessThan(left, right);
}

} // namespace sparserl
