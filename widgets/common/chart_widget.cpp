// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_widget.h"

#include "widgets/common/chart_curves.h"
#include "widgets/common/chart_frame.h"
#include "widgets/common/chart_lines.h"
#include "widgets/common/chart_table.h"
#include "widgets/common/format.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>
#include <QRubberBand>
#include <QtCharts/QChart>
#include <cmath>

namespace sparserl {

namespace {

/// A press that moved less than this was a click.
constexpr double dragDistance = 5;

} // namespace

ChartWidget::ChartWidget(QWidget* parent)
    : QChartView(parent)
    , m_frame(new ChartFrame(chart()))
    , m_curves(new CurveItem(chart()))
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setViewportUpdateMode(QGraphicsView::MinimalViewportUpdate);
    setBackgroundBrush(Qt::NoBrush);
    viewport()->setAutoFillBackground(false); // the page shows around the rounded corners
    m_curves->setSource(&m_data, &m_view, &m_hidden);
    connect(chart(), &QChart::plotAreaChanged, this, &ChartWidget::applyView);
    connect(m_frame, &ChartFrame::legendClicked, this, &ChartWidget::toggleGroup);
    m_view = fullView(m_data, m_hidden);
    applyLook();
    setData({});
}

ChartWidget::~ChartWidget()
{
    disconnect(chart(), nullptr, this, nullptr); // it goes later than what it would tell
}

void ChartWidget::setData(ChartData data)
{
    if (data.title != m_data.title) { // another chart in this place
        m_userLog.reset();
        m_hidden.clear();
    }
    m_data = std::move(data);
    m_data.logY = m_userLog.value_or(m_data.logY);
    m_hidden.removeIf([this](int i) { return i >= m_data.series.size(); });
    setRubberBand(m_data.onCategories() ? QChartView::NoRubberBand : QChartView::HorizontalRubberBand);
    fit();
    describe();
}

// Fits what is free to move, and tells everyone.
void ChartWidget::fit()
{
    if (m_zoomed)
        fitY(m_data, m_hidden, m_view);
    else if (const ChartView view = fullView(m_data, m_hidden); !looksSame(m_view, view, plot().size()))
        m_view = view; // a few points more of a million move nothing, and what was drawn is not drawn anew
    m_frame->setData(m_data, m_view, m_hidden);
    m_frame->layOut(m_data, size());
    applyView();
    moveCursor(m_cursor);
}

void ChartWidget::applyView()
{
    m_frame->axes().show(m_data, m_view, plot());
    m_curves->setPlot(plot());
}

void ChartWidget::applyLook()
{
    const Theme& theme = Theme::of(this);
    m_frame->setLook(m_data, theme, font());
    m_curves->setLook(theme, ChartFrame::smallFont(font()));
    applyBorder();
}

void ChartWidget::applyBorder()
{
    const Theme& theme = Theme::of(this);
    const bool border = m_framed || hasFocus();
    m_frame->setBorder(border ? QPen(hasFocus() ? theme.accent : theme.border, 1) : QPen(Qt::NoPen));
}

QSize ChartWidget::minimumSizeHint() const
{
    constexpr int narrowest = 160, lowest = 110; // a title, ticks, and a plot between them
    return {narrowest, atTextSize(lowest)};
}

void ChartWidget::setFramed(bool framed)
{
    m_framed = framed;
    applyBorder();
}

void ChartWidget::setReadoutBox(bool on)
{
    m_box = on;
    moveCursor(m_cursor);
}

void ChartWidget::describe()
{
    // The last value of each curve: what a reader who cannot see the picture needs first.
    QStringList parts;
    for (const ChartSeries& s : m_data.series) {
        if (s.curve->empty())
            continue;
        const std::size_t last = s.curve->size() - 1;
        parts.append(
            tr("%1: %2 at %3").arg(s.name, formatNumber(s.curve->y(last)), pointName(m_data, s, last)));
    }
    setAccessibleName(m_data.title.isEmpty() ? tr("Chart") : m_data.title);
    setAccessibleDescription(parts.isEmpty() ? tr("No data yet.") : parts.join(QStringLiteral("; ")));
}

void ChartWidget::showAll()
{
    m_zoomed = false;
    fit();
    Q_EMIT rangeReset();
}

void ChartWidget::setLogY(bool on)
{
    m_userLog = on;
    m_data.logY = on;
    fit();
}

void ChartWidget::toggleSeries(int series)
{
    if (series < 0 || series >= m_data.series.size())
        return;
    if (!m_hidden.removeOne(series))
        m_hidden.append(series);
    fit();
}

// Of several curves all go, or all come back where none is seen.
void ChartWidget::toggleGroup(const QList<int>& series)
{
    const bool seen =
        std::any_of(series.begin(), series.end(), [this](int i) { return !m_hidden.contains(i); });
    for (const int i : series) {
        m_hidden.removeOne(i);
        if (seen)
            m_hidden.append(i);
    }
    fit();
}

void ChartWidget::followX(double low, double high)
{
    m_zoomed = true;
    m_view.x.low = low;
    m_view.x.high = high;
    fit();
}

void ChartWidget::followCursor(double x)
{
    moveCursor(x);
}

QRectF ChartWidget::plot() const
{
    return chart()->plotArea();
}

double ChartWidget::xAt(double pixel) const
{
    return m_view.x.fromUnit((pixel - plot().left()) / std::max(1.0, plot().width()));
}

Readout ChartWidget::readout() const
{
    if (!std::isfinite(m_cursor))
        return {};
    return readoutAt(m_data, m_view, m_hidden, Theme::of(this), plot(), m_cursor);
}

int ChartWidget::titleHeight() const
{
    return static_cast<int>(plot().top());
}

void ChartWidget::setX(double low, double high)
{
    const double size = std::max(std::abs(low), std::abs(high));
    const double least = m_data.x == ChartX::Whole ? 1 : size * 1e-12; // between two steps there is nothing
    if (!(high - low > least) || m_data.onCategories())
        return;
    followX(low, high);
    Q_EMIT xRangeChanged(low, high);
}

void ChartWidget::zoomAround(double x, double factor)
{
    const double unit = m_view.x.toUnit(x);
    setX(m_view.x.fromUnit(unit - unit * factor), m_view.x.fromUnit(unit + (1 - unit) * factor));
}

void ChartWidget::pan(double share)
{
    setX(m_view.x.fromUnit(share), m_view.x.fromUnit(1 + share));
}

// Only what the cursor covered and covers is painted again.
void ChartWidget::moveCursor(double x)
{
    m_cursor = x;
    if (!m_cursorArea.isEmpty())
        viewport()->update(m_cursorArea);
    m_cursorArea = {};
    const Readout read = readout();
    if (!read.valid)
        return;
    const double pixel = xInPlot(read.x, m_view.x, plot());
    QRectF area(pixel - 6, plot().top() - 6, 12, plot().height() + 12);
    if (m_box)
        area |= readoutBox(read, ChartFrame::smallFont(font()), plot(), rect(), pixel);
    for (const Readout::Line& line : read.lines)
        if (line.spot)
            area |= QRectF(line.at - QPointF(6, 6), QSizeF(12, 12));
    m_cursorArea = area.adjusted(-2, -2, 2, 2).toAlignedRect();
    viewport()->update(m_cursorArea);
}

void ChartWidget::setCursorX(double x)
{
    moveCursor(x);
    Q_EMIT cursorMoved(x);
}

void ChartWidget::drawForeground(QPainter* painter, const QRectF&)
{
    const Readout read = readout();
    if (!read.valid)
        return;
    const QFont small = ChartFrame::smallFont(font());
    const double pixel = xInPlot(read.x, m_view.x, plot());
    paintReadout(*painter, read, Theme::of(this), small, plot(),
                 m_box ? readoutBox(read, small, plot(), rect(), pixel) : QRectF(), pixel);
}

void ChartWidget::resizeEvent(QResizeEvent* event)
{
    m_frame->layOut(m_data, event->size());
    QChartView::resizeEvent(event);
}

void ChartWidget::changeEvent(QEvent* event)
{
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
        event->type() == QEvent::StyleChange) {
        applyLook();
        fit();
    }
}

void ChartWidget::mouseMoveEvent(QMouseEvent* event)
{
    if (m_panning) {
        const double share = (m_pressed.x() - event->position().x()) / std::max(1.0, plot().width());
        setX(m_pressedView.x.fromUnit(share), m_pressedView.x.fromUnit(1 + share));
        return;
    }
    QChartView::mouseMoveEvent(event);
    const bool inside = plot().adjusted(-4, -4, 4, 4).contains(event->position());
    setCursorX(inside ? xAt(event->position().x()) : qQNaN());
}

void ChartWidget::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->position();
    const bool shifted = event->button() == Qt::LeftButton && (event->modifiers() & Qt::ShiftModifier);
    if ((shifted || event->button() == Qt::MiddleButton) && plot().contains(event->position())) {
        m_panning = true;
        m_pressedView = m_view;
    } else if (event->button() == Qt::LeftButton) {
        QChartView::mousePressEvent(event);
    }
}

void ChartWidget::mouseReleaseEvent(QMouseEvent* event)
{
    if (std::exchange(m_panning, false) || event->button() != Qt::LeftButton)
        return;
    // The band is QChartView's, but not the zoom: its own gives NaN to the axes of series without points, and
    // those pass it on to each other for ever. And a trembling hand would zoom to a pixel.
    auto* band = findChild<QRubberBand*>();
    const bool chosen = band && band->isVisible();
    if (band)
        band->hide();
    QGraphicsView::mouseReleaseEvent(event);
    if (chosen && std::abs(event->position().x() - m_pressed.x()) >= dragDistance) {
        const QRectF range(band->geometry());
        setX(xAt(range.left()), xAt(range.right()));
    }
}

void ChartWidget::mouseDoubleClickEvent(QMouseEvent*)
{
    showAll();
}

void ChartWidget::leaveEvent(QEvent* event)
{
    QChartView::leaveEvent(event);
    setCursorX(qQNaN());
}

void ChartWidget::wheelEvent(QWheelEvent* event)
{
    // Inside a scroll area the plain wheel scrolls the page; Ctrl+wheel zooms everywhere.
    if (!(event->modifiers() & Qt::ControlModifier) && !hasFocus()) {
        event->ignore();
        return;
    }
    zoomAround(xAt(event->position().x()), std::pow(0.999, event->angleDelta().y()));
    event->accept();
}

// To a measured x that is the given number of points away.
void ChartWidget::stepCursor(int steps)
{
    const double limit = steps > 0 ? m_view.x.high : m_view.x.low;
    const double from = std::isfinite(m_cursor) ? readout().x : steps > 0 ? m_view.x.low : m_view.x.high;
    const bool first = !std::isfinite(m_cursor);
    double next = qQNaN();
    for (int i = 0; i < m_data.series.size(); ++i) {
        const Curve& curve = *m_data.series[i].curve;
        if (m_hidden.contains(i) || curve.empty())
            continue;
        const auto consider = [&](std::size_t at) {
            const double x = curve.x(at);
            if (x < m_view.x.low || x > m_view.x.high)
                return;
            if (std::isnan(next) || (steps > 0 ? x < next : x > next))
                next = x;
        };
        if (steps > 0) {
            const std::size_t at = curve.firstFrom(first ? from : std::nextafter(from, limit));
            if (at < curve.size())
                consider(at);
        } else {
            const std::size_t end = curve.firstFrom(first ? std::nextafter(from, qInf()) : from);
            if (end > 0)
                consider(end - 1);
        }
    }
    if (std::isfinite(next))
        setCursorX(next);
}

void ChartWidget::keyPressEvent(QKeyEvent* event)
{
    const bool control = event->modifiers() & Qt::ControlModifier;
    const double centre = std::isfinite(m_cursor) ? m_cursor : m_view.x.fromUnit(0.5);
    switch (event->key()) {
    case Qt::Key_Left:
        control ? pan(-0.2) : stepCursor(-1);
        break;
    case Qt::Key_Right:
        control ? pan(0.2) : stepCursor(1);
        break;
    case Qt::Key_Home:
        m_cursor = qQNaN();
        stepCursor(1);
        break;
    case Qt::Key_End:
        m_cursor = qQNaN();
        stepCursor(-1);
        break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomAround(centre, 0.7);
        break;
    case Qt::Key_Minus:
        zoomAround(centre, 1 / 0.7);
        break;
    case Qt::Key_0:
        showAll();
        break;
    case Qt::Key_L:
        setLogY(!m_data.logY);
        break;
    default:
        if (event->key() >= Qt::Key_1 && event->key() <= Qt::Key_9 && !control)
            toggleSeries(event->key() - Qt::Key_1);
        else
            QWidget::keyPressEvent(event);
    }
}

void ChartWidget::focusInEvent(QFocusEvent* event)
{
    QChartView::focusInEvent(event);
    applyBorder();
}

void ChartWidget::focusOutEvent(QFocusEvent* event)
{
    QChartView::focusOutEvent(event);
    applyBorder();
    if (std::isfinite(m_cursor))
        setCursorX(qQNaN());
}

void ChartWidget::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(tr("Show &everything"), this, &ChartWidget::showAll);
    QAction* logarithmic = menu.addAction(tr("&Logarithmic scale"), this, [this] { setLogY(!m_data.logY); });
    logarithmic->setCheckable(true);
    logarithmic->setChecked(m_data.logY);
    QMenu* curves = menu.addMenu(tr("C&urves"));
    for (int i = 0; i < m_data.series.size(); ++i) {
        QString name = m_data.series[i].name;
        QAction* action = curves->addAction(name.replace(QLatin1Char('&'), QStringLiteral("&&")), this,
                                            [this, i] { toggleSeries(i); });
        action->setCheckable(true);
        action->setChecked(!m_hidden.contains(i));
    }
    menu.addSeparator();
    menu.addAction(tr("Show as &table…"), this, &ChartWidget::showAsTable);
    menu.addAction(tr("&Copy as CSV"), this,
                   [this] { QGuiApplication::clipboard()->setText(chartCsv(m_data)); });
    menu.addAction(tr("Save as &PNG…"), this, &ChartWidget::exportPng);
    menu.addAction(tr("Save as SV&G…"), this, &ChartWidget::exportSvg);
    menu.addAction(tr("Save as C&SV…"), this, &ChartWidget::exportCsv);
    Q_EMIT menuAsked(&menu);
    menu.exec(event->globalPos());
}

} // namespace sparserl
