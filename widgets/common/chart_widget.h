// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_readout.h"
#include "widgets/common/chart_view.h"

#include <QtCharts/QChartView>
#include <optional>

class QMenu;

namespace sparserl {

class ChartFrame;
class CurveItem;

/// A chart that never hides a spike or a NaN. Mouse: hovering reads values, dragging selects a range, the
/// wheel zooms, dragging with Shift or the middle button pans, a double click shows everything, a click on
/// the legend hides a curve. Keyboard: arrows move the cursor, Ctrl+arrows pan, + and - zoom, 0 shows
/// everything, 1 to 9 hide a curve, L toggles the logarithmic axis. The context menu shows the numbers as a
/// table and exports.
class ChartWidget : public QChartView
{
    Q_OBJECT

public:
    explicit ChartWidget(QWidget* parent = nullptr);
    ~ChartWidget() override;

    const ChartData& data() const { return m_data; }
    /// Replaces the data. Also call it after appending points to the curves. Keeps zoom, hidden curves and
    /// cursor.
    void setData(ChartData data);
    /// Draws a border and rounded corners, for a stand-alone chart.
    void setFramed(bool framed);
    /// Sets whether the cursor has a box with values. Turn it off if the values are displayed elsewhere.
    void setReadoutBox(bool on);

    ChartView view() const { return m_view; }
    bool zoomed() const { return m_zoomed; }
    const QList<int>& hiddenSeries() const { return m_hidden; }
    void showAll();
    void setLogY(bool on);
    void toggleSeries(int series);
    /// Follows another chart's x range (linked charts) without emitting a signal.
    void followX(double low, double high);
    void followCursor(double x); ///< NaN hides it.
    /// The values under the cursor.
    Readout readout() const;
    /// Height of the title above the curves, in pixels.
    int titleHeight() const;

    QImage toImage(QSize size, double devicePixelRatio) const;
    /// The chart as a drawing, at the widget's size.
    QByteArray toSvg() const;

    QSize sizeHint() const override { return {420, 240}; }
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// The user zoomed or panned.
    void xRangeChanged(double low, double high);
    void cursorMoved(double x);
    /// The range was reset to all data.
    void rangeReset();
    /// The context menu is about to be shown; owners may add entries.
    void menuAsked(QMenu* menu);

public Q_SLOTS:
    void showAsTable();
    void exportPng();
    void exportSvg();
    void exportCsv();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void fit();
    void toggleGroup(const QList<int>& series);
    void applyView();
    void applyLook();
    void applyBorder();
    void setX(double low, double high);
    void zoomAround(double x, double factor);
    void pan(double share);
    void setCursorX(double x);
    void moveCursor(double x);
    void stepCursor(int steps);
    void describe();
    void saveText(const QString& title, const QString& suffix, const QString& filter, const QByteArray& text);
    /// Draws the whole chart without the cursor.
    void renderTo(QPainter& painter, QSize size) const;
    double xAt(double pixel) const;
    QRectF plot() const;

    ChartData m_data;
    ChartView m_view;
    QList<int> m_hidden;
    ChartFrame* m_frame;
    CurveItem* m_curves;
    bool m_zoomed = false, m_framed = true, m_box = true, m_panning = false;
    std::optional<bool> m_userLog; ///< The user's choice for this chart.
    QPointF m_pressed;
    ChartView m_pressedView;
    double m_cursor = qQNaN();
    QRect m_cursorArea; ///< The area that the cursor covers in the viewport.
};

} // namespace sparserl
