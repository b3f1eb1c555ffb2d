// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_proxy.h"

#include <cmath>

namespace sparserl {

void RunProxy::setFilter(RunFilter filter)
{
    m_filter = std::move(filter);
    invalidateFilter();
}

bool RunProxy::passes(const RunRow& run) const
{
    static const RunFigures none;
    return m_filter.matches(run, run.figures ? *run.figures : none);
}

bool RunProxy::filterAcceptsRow(int row, const QModelIndex&) const
{
    const RunRow* run = static_cast<RunModel*>(sourceModel())->row(sourceModel()->index(row, 0));
    if (run && run->head)
        return !run->head->runs.empty();
    return run && !run->hidden && passes(*run);
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
    const int column = left.column();
    const auto figure = static_cast<std::size_t>(column - RunColumns);
    if (a->head || (column != RunLast && (column < RunColumns || figure >= m_figures.size())))
        return QSortFilterProxyModel::lessThan(left, right);
    const auto orderOf = [&](const RunRow& run) {
        if (column != RunLast)
            return figureOrder(run, m_figures[figure]);
        const bool missing = run.headline.empty() || std::isnan(run.lastValue);
        return FigureOrder{missing, missing ? 0 : run.lastValue, {}};
    };
    const FigureOrder x = orderOf(*a), y = orderOf(*b);
    if (x.missing != y.missing)
        return y.missing == ascending;
    return x < y;
}

} // namespace sparserl
