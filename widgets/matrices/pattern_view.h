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

/// The part of a matrix that a view shows.
struct PatternViewport
{
    double originRow = 0, originCol = 0; ///< Row and column at the top left of the plot area.
    double scaleX = 1, scaleY = 1;       ///< Pixels per column and per row.
    bool fitted = true;                  ///< Shows the whole matrix at any size of the view.
};

/// Shows the pattern of a matrix, from the whole matrix down to single entries with their values. The visible
/// part is first drawn from the pyramid, then from the matrix itself, of which only the visible rows are
/// read. Mouse: the wheel zooms around the pointer, dragging moves the view, a double click shows the whole
/// matrix, hovering reads values. Keyboard: arrows move the cursor (with Shift by ten) or, with Ctrl, the
/// view; + and - zoom around the cursor; 0 shows the whole matrix; Home and End go to the ends of the row or,
/// with Ctrl, to the corners; N and Shift+N go to the next and the previous entry.
class PatternView : public QWidget
{
    Q_OBJECT

public:
    explicit PatternView(QWidget* parent = nullptr);
    ~PatternView() override;

    void setPattern(std::shared_ptr<const MatrixPattern> pattern, const QString& name);
    /// The displayed matrix, or null if there is none.
    const CsrView* matrix() const { return m_pattern ? &m_pattern->matrix() : nullptr; }
    void setShading(Shading shading);
    Shading shading() const { return m_shading; }
    /// For a reordered matrix: sets the original index of each row and column (position -> old index; empty:
    /// unchanged).
    void setOrigin(std::vector<std::int32_t> rows, std::vector<std::int32_t> cols);
    /// Sets the marked entries (row, column), and the meaning of the marks for the legend.
    void setMarks(std::vector<std::pair<std::int32_t, std::int32_t>> marks, const QString& meaning);
    const QString& markMeaning() const { return m_markMeaning; }

    void showAll();
    void zoom(double factor); ///< A factor below 1 zooms in.
    /// Shows this part of the matrix. Does not emit viewportChanged.
    void setViewport(const PatternViewport& viewport);
    const PatternViewport& viewport() const { return m_port; }
    void setCursorCell(std::int64_t row, std::int64_t col);
    /// Moves the cursor to this place, centres it, and zooms in far enough to show single entries.
    void goTo(std::int64_t row, std::int64_t col);
    /// Moves the cursor to the next stored entry, row by row. The first entry follows the last.
    void nextEntry();
    void previousEntry();
    std::int64_t cursorRow() const { return m_cursorRow; }
    std::int64_t cursorCol() const { return m_cursorCol; }
    /// Describes the place under the cursor: one entry with its value, or the number of entries in the pixel.
    QString readout() const { return m_readout; }
    /// Width of a matrix column in pixels. If it exceeds 1, single entries can be distinguished.
    double pixelsPerColumn() const { return m_port.scaleX; }
    /// Whether the visible part is drawn from the matrix itself rather than from the pyramid.
    bool sharp() const { return m_sharp && !m_stale; }
    /// Saves the view as PNG or SVG, according to the file's suffix. Returns a sentence on failure, otherwise
    /// an empty text.
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
    bool drawable() const; ///< Whether there is a matrix that has rows and columns.
    QRectF plotArea() const;
    QRectF matrixRect() const; ///< Position of the whole matrix, in pixels.
    QPointF toPixel(double row, double col) const;
    double rowAt(double y) const;
    double colAt(double x) const;
    void fit();
    void clampView();
    void viewChanged();
    void moved(); ///< Calls viewChanged() and emits viewportChanged().
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
    const DensityGrid* m_baseLevel = nullptr; ///< The level of the pyramid that is drawn.
    QImage m_base;                            ///< The whole matrix, coarse.
    Layer m_tile;                             ///< The last visible part, drawn from the matrix.
    bool m_stale = true, m_sharp = false, m_again = false;
    CancelToken m_cancel;
    JobTracker m_jobs{this};
    /// Created for the first view that is too large to count while painting.
    std::unique_ptr<BackgroundThread> m_thread;
};

} // namespace sparserl
