// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/pattern.h"
#include "widgets/common/background.h"
#include "widgets/matrices/density_image.h"

#include <QImage>
#include <QWidget>
#include <memory>
#include <utility>
#include <vector>

namespace sparserl {

/// Which part of a matrix a view shows.
struct PatternViewport
{
    double originRow = 0, originCol = 0; ///< At the top left of the plot area.
    double scaleX = 1, scaleY = 1;       ///< Pixels per column and per row.
    bool fitted = true;                  ///< Shows everything, whatever size the view gets.
};

/// The pattern of a matrix from the whole down to single entries with their values. What is in view is drawn
/// at once from the pyramid, then from the matrix itself, of which only the rows in view are read.
/// Mouse: wheel zooms and keeps what is under the pointer, drag moves, double click shows everything, hover
/// reads. Keyboard: arrows move the cursor (with Shift by ten), with Ctrl the view; + and - zoom around the
/// cursor, 0 shows everything, Home and End go along the row, with Ctrl to the corners, N and Shift+N to the
/// next and the previous entry.
class PatternView : public QWidget
{
    Q_OBJECT

public:
    explicit PatternView(QWidget* parent = nullptr);
    ~PatternView() override;

    void setPattern(std::shared_ptr<const MatrixPattern> pattern, const QString& name);
    /// Null: nothing is shown.
    const CsrView* matrix() const { return m_pattern ? &m_pattern->matrix() : nullptr; }
    void setShading(Shading shading);
    Shading shading() const { return m_shading; }
    /// For a reordered matrix: where rows and columns were before (position -> old index; empty: as before).
    void setOrigin(std::vector<std::int32_t> rows, std::vector<std::int32_t> cols);
    /// Entries to be marked (row, column), and what the marks mean, for the legend.
    void setMarks(std::vector<std::pair<std::int32_t, std::int32_t>> marks, const QString& meaning);
    const QString& markMeaning() const { return m_markMeaning; }

    void showAll();
    void zoom(double factor); ///< Below 1: closer.
    /// Shows this part; does not emit viewportChanged.
    void setViewport(const PatternViewport& viewport);
    const PatternViewport& viewport() const { return m_port; }
    void setCursorCell(std::int64_t row, std::int64_t col);
    /// The cursor there, in the middle, and near enough to tell single entries apart.
    void goTo(std::int64_t row, std::int64_t col);
    /// The cursor to the stored entry after it, row by row; after the last one comes the first.
    void nextEntry();
    void previousEntry();
    std::int64_t cursorRow() const { return m_cursorRow; }
    std::int64_t cursorCol() const { return m_cursorCol; }
    /// What is under the cursor: one entry with its value, or how many entries a pixel holds.
    QString readout() const { return m_readout; }
    /// Pixels a matrix column takes; above 1 single entries can be told apart.
    double pixelsPerColumn() const { return m_port.scaleX; }
    /// What is in view is drawn from the matrix itself, not from the pyramid.
    bool sharp() const { return m_sharp && !m_stale; }
    /// The view as a picture, PNG or SVG by the file's ending. A sentence on failure, else empty.
    QString save(const QString& file);

    QSize sizeHint() const override { return {480, 420}; }
    QSize minimumSizeHint() const override { return {180, 160}; }

Q_SIGNALS:
    void readoutChanged(const QString& text);
    /// The user moved or zoomed.
    void viewportChanged(const PatternViewport& viewport);

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
    struct Layer
    {
        DensityGrid grid;
        QImage image;
    };
    bool drawable() const; ///< A matrix with rows and columns is there.
    QRectF plotArea() const;
    QRectF matrixRect() const; ///< Where the whole matrix lies, in pixels.
    QPointF toPixel(double row, double col) const;
    double rowAt(double y) const;
    double colAt(double x) const;
    void fit();
    void clampView();
    void viewChanged();
    void moved(); ///< viewChanged, and tells others.
    void zoomAround(QPointF pixel, double factor);
    bool moveCursor(const QKeyEvent& event);
    void showCursor();
    void stepEntry(int step);
    bool moveView(const QKeyEvent& event);
    void renderTile();
    void chooseBase();
    void recolour();
    void updateReadout();
    void paint(QPainter& painter, bool vector);
    void paintLayer(QPainter& painter, const Layer& layer, bool vector) const;
    void paintRulers(QPainter& painter) const;
    void paintCells(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;
    void paintCursor(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;

    std::shared_ptr<const MatrixPattern> m_pattern;
    QString m_name, m_readout;
    Shading m_shading = Shading::Relative;
    PatternViewport m_port;
    std::vector<std::int32_t> m_originalRows, m_originalCols;
    std::vector<std::pair<std::int32_t, std::int32_t>> m_marks;
    QString m_markMeaning;
    bool m_dragging = false;
    QPointF m_pressed;
    double m_pressedRow = 0, m_pressedCol = 0;
    std::int64_t m_cursorRow = -1, m_cursorCol = -1;
    const DensityGrid* m_baseLevel = nullptr; ///< Of the pyramid.
    QImage m_base;                            ///< The whole matrix, coarse.
    Layer m_tile;                             ///< What was in view, exact.
    bool m_stale = true, m_sharp = false, m_again = false;
    CancelToken m_cancel;
    JobTracker m_jobs{this};
    std::unique_ptr<BackgroundThread> m_thread; ///< Only once a view is too large to count while painting.
};

} // namespace sparserl
