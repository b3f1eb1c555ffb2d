// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_data.h"

#include <QAbstractTableModel>

class QWidget;

namespace sparserl {

/// The points of a chart as rows. The rows are fixed at creation, although a live curve may grow later.
class ChartTableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    explicit ChartTableModel(const ChartData& data, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    ChartData m_chart;
    QList<qsizetype> m_ends; ///< The row after the last point of each series.
};

/// "series,x,y" lines in the C locale with a header line; NaN is written as nan. For boxes
/// "series,category,low,lower_quartile,median,upper_quartile,high,count".
QString chartCsv(const ChartData& data);
/// Opens a window with the table.
void showChartTable(const ChartData& data, QWidget* parent);

} // namespace sparserl
