// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_view.h"
#include "widgets/common/theme.h"

#include <QFont>
#include <QPointF>
#include <QRectF>

class QPainter;

namespace sparserl {

/// The values under the cursor: for each visible series, the value at the x of the data that is closest to
/// the cursor.
struct Readout
{
    struct Line
    {
        QString text;
        QColor colour;
        bool spot = false;
        QPointF at; ///< Position in the plot, if `spot`.
    };
    bool valid = false;
    double x = 0; ///< The x of the data that is closest to the cursor.
    QString head;
    QList<Line> lines;
};

Readout readoutAt(const ChartData& data, const ChartView& view, const QList<int>& hidden, const Theme& theme,
                  const QRectF& plot, double x);
/// The name of a point: its label, its category or its x.
QString pointName(const ChartData& data, const ChartSeries& series, std::size_t point);
/// Text for x: "step 1,200", "3 min 12 s".
QString xText(const ChartData& data, double x);

/// The box beside the cursor, inside `bounds`.
QRectF readoutBox(const Readout& readout, const QFont& font, const QRectF& plot, const QRectF& bounds,
                  double pixel);
/// Draws the cursor line, the spots and, unless it is empty, the box.
void paintReadout(QPainter& painter, const Readout& readout, const Theme& theme, const QFont& font,
                  const QRectF& plot, const QRectF& box, double pixel);

} // namespace sparserl
