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

/// What Qt Charts owns of one chart: title, legend, axes, bars, boxes, background. Curves are series without
/// points: they feed the legend and the axes, and CurveItem draws them.
class ChartFrame : public QObject
{
    Q_OBJECT

public:
    explicit ChartFrame(QChart* chart);

    ChartAxes& axes() { return *m_axes; }
    void setData(const ChartData& data, const ChartView& view, const QList<int>& hidden);
    void setLook(const ChartData& data, const Theme& theme, const QFont& font);
    /// Border and rounded corners, of another colour while the chart has the focus.
    void setBorder(const QPen& pen);
    /// Title, hint and legend stand in one row where there is room.
    void layOut(const ChartData& data, QSizeF size);
    static QFont smallFont(const QFont& font);

Q_SIGNALS:
    void legendClicked(const QList<int>& series);

private:
    void rebuild(const ChartData& data);
    void nameLines(double width);
    void updateLines(const QList<int>& hidden);
    void updateBars(const ChartData& data, const ChartView& view, const QList<int>& hidden);
    void updateBoxes(const ChartData& data, const ChartView& view, const QList<int>& hidden);
    void connectMarkers();
    QList<QLegendMarker*> markers() const;

    QChart* m_chart;
    ChartAxes* m_axes;
    QGraphicsSimpleTextItem *m_title, *m_hint;
    QList<QAbstractSeries*> m_lines; ///< One for each entry of the legend.
    QList<ChartLegendEntry> m_entries;
    QBarSeries* m_bars = nullptr;   ///< One set for each series.
    QList<QBoxPlotSeries*> m_boxes; ///< One for each series; they stand side by side.
    QString m_structure;            ///< What series and axes were made for.
    Theme m_theme;
    QFont m_font;
};

} // namespace sparserl
