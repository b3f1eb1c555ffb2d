// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_lines.h"
#include "widgets/common/chart_view.h"
#include "widgets/common/theme.h"

#include <QFont>
#include <QGraphicsItem>
#include <QPen>
#include <QRectF>
#include <vector>

class QFontMetricsF;
class QPainter;

namespace sparserl {

/// Draws what Qt Charts cannot draw: curves that keep every spike, marks for non-finite values and for
/// changes, and the reference line. CurveItem and tests use it.
struct CurvePainter
{
    const ChartData& data;
    const ChartView& view;
    const QList<int>& hidden;
    const Theme& theme;
    QFont font; ///< For labels inside the plot.
    QRectF plot;
    double pixelRatio = 1;
    /// Cached lines of the series, followed by the lines of their averages; null: no caching.
    std::vector<LineCache>* drawn = nullptr;

    void paint(QPainter& painter) const;

private:
    void paintPoints(QPainter& painter, const ChartSeries& series) const;
    void paintCurve(QPainter& painter, const ChartSeries& series, Curve::Values which, double opacity) const;
    void paintBand(QPainter& painter, const ChartSeries& series) const;
    void paintNonFinite(QPainter& painter, const QList<double>& xs, const QColor& colour) const;
    void paintBarMarks(QPainter& painter, const ChartSeries& series) const;
    void paintMarks(QPainter& painter) const;
    void paintReference(QPainter& painter) const;
    void paintEmptyText(QPainter& painter) const;
};

/// A mark in the plot, in pixels: the x of its line, and its text from `left` on. Several marks at one place
/// have one label. Labels do not touch; the text is cut where the next one begins, and empty if it has no
/// room.
struct MarkLabel
{
    double x = 0, left = 0;
    QString text;
};
QList<MarkLabel> markLabels(const ChartData& data, const ChartView& view, const QRectF& plot,
                            const QFontMetricsF& metrics);

QColor seriesColour(const ChartSeries& series, const Theme& theme);
/// The pen for a curve with separate points, and for its mark in the legend.
QPen seriesPen(const ChartSeries& series, const Theme& theme, double width);

/// The plot area of a QChart as one item, cached as a picture until it changes.
class CurveItem : public QGraphicsItem
{
public:
    explicit CurveItem(QGraphicsItem* parent);

    /// Sets the drawn data, which must outlive the item.
    void setSource(const ChartData* data, const ChartView* view, const QList<int>* hidden);
    void setLook(const Theme& theme, const QFont& font);
    void setPlot(const QRectF& plot);
    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

private:
    const ChartData* m_data = nullptr;
    const ChartView* m_view = nullptr;
    const QList<int>* m_hidden = nullptr;
    const Theme* m_theme = nullptr;
    QFont m_font;
    QRectF m_plot;
    std::vector<LineCache> m_drawn;
};

} // namespace sparserl
