// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_axes.h"
#include "widgets/common/chart_view.h"
#include "widgets/common/theme.h"

#include <QFont>
#include <QObject>
#include <QSizeF>

class QAbstractSeries;
class QBarSeries;
class QBoxPlotSeries;
class QChart;
class QGraphicsSimpleTextItem;
class QLegendMarker;

namespace sparserl {

/// The parts of a chart that Qt Charts draws: title, legend, axes, bars, boxes, background. Curves are only
/// represented by series without points, for the legend and the axes; CurveItem draws them.
class ChartFrame : public QObject
{
    Q_OBJECT

public:
    explicit ChartFrame(QChart* chart);

    ChartAxes& axes() { return *m_axes; }
    void setData(const ChartData& data, const ChartView& view, const QList<int>& hidden);
    void setLook(const ChartData& data, const Theme& theme, const QFont& font);
    /// Draws a border with rounded corners. Its colour shows whether the chart has the focus.
    void setBorder(const QPen& pen);
    /// Places title, hint and legend in one row if they fit.
    void layOut(const ChartData& data, QSizeF size);
    static QFont smallFont(const QFont& font);

Q_SIGNALS:
    void legendClicked(const QList<int>& series);

private:
    void rebuild(const ChartData& data);
    void nameEntries(double width);
    QString entryName(qsizetype entry) const; ///< What the legend shows, cut to m_nameWidth.
    void updateLines(const QList<int>& hidden);
    void updateBars(const ChartData& data, const ChartView& view, const QList<int>& hidden);
    void updateBoxes(const ChartData& data, const ChartView& view, const QList<int>& hidden);
    void connectMarkers();
    QList<QLegendMarker*> markers() const;

    QChart* m_chart;
    ChartAxes* m_axes;
    static constexpr double anyWidth = 1e6;
    double m_nameWidth = anyWidth; ///< Of a name in the legend, in pixels.
    QGraphicsSimpleTextItem *m_title, *m_hint;
    QList<QAbstractSeries*> m_lines; ///< One per legend entry.
    QList<ChartLegendEntry> m_entries;
    QBarSeries* m_bars = nullptr;   ///< One set per series.
    QList<QBoxPlotSeries*> m_boxes; ///< One per series, side by side.
    QString m_structure;            ///< Description of the current series and axes.
    Theme m_theme;
    QFont m_font;
};

} // namespace sparserl
