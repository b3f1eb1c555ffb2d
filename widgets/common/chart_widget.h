// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_data.h"
#include "widgets/common/chart_painter.h"

#include <QWidget>

namespace sparserl {

/// A chart that never hides a spike or a NaN. Mouse: hover reads values, wheel zooms, drag pans, double click
/// shows everything, click on the legend hides a curve. Keyboard: arrows move the cursor, Ctrl+arrows pan, +
/// and - zoom, 0 shows everything, L switches the logarithmic axis. The context menu shows the numbers as a
/// table and exports.
class ChartWidget : public QWidget
{
    Q_OBJECT

public:
    explicit ChartWidget(QWidget* parent = nullptr);

    const ChartData& data() const { return m_data; }
    /// Replaces the data; keeps the user's zoom, hidden curves and cursor.
    void setData(ChartData data);
    /// Paints a border and rounded corners: a chart that stands on its own.
    void setFramed(bool framed);

    ChartView view() const { return m_view; }
    bool zoomed() const { return m_zoomed; }
    void showAll();
    void setLogY(bool on);
    /// Follows another chart's x range (linked charts). No signal is emitted.
    void followX(double low, double high);
    void followCursor(double x); ///< NaN hides it.

    QImage toImage(QSize size, double devicePixelRatio) const;
    /// "series,x,y" lines in the C locale with a header line; not-a-number is written as nan.
    QString toCsv() const;

    QSize sizeHint() const override { return {420, 240}; }
    QSize minimumSizeHint() const override { return {160, 110}; }

Q_SIGNALS:
    /// The user zoomed or panned: show this range of x in finer resolution, if there is any.
    void xRangeChanged(double low, double high);
    void cursorMoved(double x);
    /// Back to everything.
    void rangeReset();

public Q_SLOTS:
    void showAsTable();
    void exportPng();
    void exportCsv();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    ChartPainter painterFor(const QRectF& area) const;
    void setX(double low, double high);
    void zoomAround(double x, double factor);
    void pan(double share);
    void setCursorX(double x);
    void stepCursor(int steps);
    void describe();

    ChartData m_data;
    ChartView m_view;
    QList<int> m_hidden;
    bool m_zoomed = false, m_framed = true, m_dragging = false;
    QPointF m_pressed;
    ChartView m_pressedView;
    double m_cursor = qQNaN();
};

} // namespace sparserl
