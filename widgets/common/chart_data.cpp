// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_data.h"

#include <algorithm>

namespace sparserl {

bool ChartData::empty() const
{
    return std::all_of(series.begin(), series.end(), [](const ChartSeries& s) { return s.curve->empty(); });
}

bool ChartData::hasBars() const
{
    return std::any_of(series.begin(), series.end(),
                       [](const ChartSeries& s) { return s.kind == ChartKind::Bars; });
}

bool ChartData::hasBoxes() const
{
    return std::any_of(series.begin(), series.end(),
                       [](const ChartSeries& s) { return s.kind == ChartKind::Boxes; });
}

bool ChartData::onCategories() const
{
    return hasBars() || hasBoxes();
}

QStringList ChartData::categoryNames() const
{
    QStringList names = categories;
    if (names.isEmpty())
        for (const ChartSeries& s : series)
            if (s.labels.size() > names.size())
                names = s.labels;
    return names;
}

bool ChartData::hasRightAxis() const
{
    return std::any_of(series.begin(), series.end(),
                       [](const ChartSeries& s) { return s.rightAxis && !s.curve->empty(); });
}

} // namespace sparserl
