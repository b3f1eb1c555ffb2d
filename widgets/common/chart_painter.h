// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_data.h"
#include "widgets/common/chart_scale.h"
#include "widgets/common/theme.h"

#include <QPainter>
#include <QRectF>
#include <optional>

namespace sparserl {

/// What part of the data is visible.
struct ChartView
{
    AxisScale x, y;
};

/// The view that shows all finite data of visible series with a margin; `hidden` holds indices of hidden
/// series.
ChartView fullView(const ChartData& data, const QList<int>& hidden);
/// The y range that fits what lies between view.x.low and view.x.high.
void fitY(const ChartData& data, const QList<int>& hidden, ChartView& view);

/// Lays out and paints one chart. Stateless: the widget, the PNG export and the tests all go through here.
class ChartPainter
{
public:
    ChartPainter(const ChartData& data, const ChartView& view, const QList<int>& hidden, const Theme& theme,
                 const QFont& font, const QRectF& area);

    void paint(QPainter& painter) const;
    /// Vertical line with the values of all series nearest to data x.
    void paintCursor(QPainter& painter, double x) const;

    QRectF plotArea() const { return m_plot; }
    QPointF toPixel(QPointF data) const;
    double xAt(double pixel) const;
    /// Index of the legend entry at a position, or -1.
    int legendAt(QPointF position) const;

private:
    struct LegendEntry
    {
        int series = 0;
        QRectF area;
    };
    void layout(const QRectF& area);
    void layoutLegend(const QRectF& area, double top);
    void paintAxes(QPainter& painter) const;
    void paintBars(QPainter& painter, const ChartSeries& series) const;
    void paintCurve(QPainter& painter, const ChartSeries& series) const;
    void paintNonFinite(QPainter& painter, const QList<double>& xs, const QColor& colour) const;
    void paintMarks(QPainter& painter) const;
    void paintReference(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;
    QPen penOf(const ChartSeries& series, double width) const;
    QPen densePenOf(const ChartSeries& series) const;
    QColor colourOf(const ChartSeries& series) const;
    bool hasCategories() const;
    bool empty() const;

    const ChartData& m_data;
    ChartView m_view;
    const QList<int>& m_hidden;
    const Theme& m_theme;
    QFont m_font, m_small;
    QRectF m_area, m_plot, m_titleArea;
    QList<AxisTick> m_xTicks, m_yTicks;
    QList<LegendEntry> m_legend;
};

} // namespace sparserl
