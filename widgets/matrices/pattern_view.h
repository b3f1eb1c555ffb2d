// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/density.h"
#include "widgets/common/background.h"

#include <QImage>
#include <QWidget>
#include <memory>

namespace sparserl {

/// How many entries fall into a pixel, as a colour.
enum class Shading
{
    Binary,   ///< Something is there.
    Relative, ///< Count by the largest count in view, logarithmic.
    Absolute  ///< Share of the places that are filled, from one in 10,000 to all.
};

/// Colour of a density in (0, 1]; every non-empty pixel stands out from the background.
QRgb densityColour(double t, bool dark);

/// The pattern of a matrix from the whole down to single entries with their values.
/// Mouse: wheel zooms, drag moves, double click shows everything, hover reads. Keyboard: arrows move the
/// cursor (with Shift by ten), + and - zoom around it, 0 shows everything, Home and End go along the row.
class PatternView : public QWidget
{
    Q_OBJECT

public:
    explicit PatternView(QWidget* parent = nullptr);
    ~PatternView() override;

    void setMatrix(std::shared_ptr<const Csr> matrix, const QString& name);
    const Csr* matrix() const { return m_matrix.get(); }
    void setShading(Shading shading);
    Shading shading() const { return m_shading; }

    void showAll();
    void zoom(double factor); ///< Below 1: closer.
    void setCursorCell(std::int64_t row, std::int64_t col);
    std::int64_t cursorRow() const { return m_cursorRow; }
    std::int64_t cursorCol() const { return m_cursorCol; }
    /// What is under the cursor: one entry with its value, or how many entries a pixel holds.
    QString readout() const { return m_readout; }
    /// Pixels a matrix column takes; above 1 single entries can be told apart.
    double pixelsPerColumn() const { return m_scaleX; }

    QSize sizeHint() const override { return {480, 420}; }
    QSize minimumSizeHint() const override { return {200, 180}; }

Q_SIGNALS:
    void readoutChanged(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QRectF plotArea() const;
    QRectF matrixRect() const; ///< Where the whole matrix lies, in pixels.
    QPointF toPixel(double row, double col) const;
    double rowAt(double y) const;
    double colAt(double x) const;
    void fit();
    void clampView();
    void viewChanged();
    void zoomAround(QPointF pixel, double factor);
    void renderTile();
    void colourTile();
    void updateReadout();
    void paintRulers(QPainter& painter) const;
    void paintCells(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;

    std::shared_ptr<const Csr> m_matrix;
    QString m_name, m_readout;
    Shading m_shading = Shading::Relative;
    double m_scaleX = 1, m_scaleY = 1;       ///< Pixels per column and per row.
    double m_originRow = 0, m_originCol = 0; ///< At the top left of the plot area.
    bool m_fitted = true, m_dragging = false;
    QPointF m_pressed;
    double m_pressedRow = 0, m_pressedCol = 0;
    std::int64_t m_cursorRow = -1, m_cursorCol = -1;
    DensityGrid m_grid;
    QImage m_image;
    bool m_stale = true;
    JobTracker m_jobs{this};
    std::unique_ptr<BackgroundThread> m_thread; ///< Only once a matrix is too large to bin while painting.
};

} // namespace sparserl
