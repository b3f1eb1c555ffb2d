// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_widget.h"

#include "widgets/common/format.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QSaveFile>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>

namespace sparserl {

ChartWidget::ChartWidget(QWidget* parent)
    : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    m_view = fullView(m_data, m_hidden);
}

void ChartWidget::setData(ChartData data)
{
    const bool logarithmic = m_data.logY && m_data.title == data.title;
    m_data = std::move(data);
    m_data.logY = m_data.logY || logarithmic;
    for (qsizetype i = m_hidden.size() - 1; i >= 0; --i)
        if (m_hidden[i] >= m_data.series.size())
            m_hidden.removeAt(i);
    if (m_zoomed)
        fitY(m_data, m_hidden, m_view);
    else
        m_view = fullView(m_data, m_hidden);
    describe();
    update();
}

void ChartWidget::setFramed(bool framed)
{
    m_framed = framed;
    update();
}

void ChartWidget::describe()
{
    // The last value of each curve: what a reader who cannot see the picture needs first.
    QStringList parts;
    for (const ChartSeries& s : m_data.series)
        if (!s.points.isEmpty())
            parts.append(
                tr("%1: %2 at %3")
                    .arg(s.name, formatNumber(s.points.last().y()), formatNumber(s.points.last().x())));
    setAccessibleName(m_data.title.isEmpty() ? tr("Chart") : m_data.title);
    setAccessibleDescription(parts.isEmpty() ? tr("No data yet.") : parts.join(QStringLiteral("; ")));
}

void ChartWidget::showAll()
{
    m_zoomed = false;
    m_view = fullView(m_data, m_hidden);
    update();
    Q_EMIT rangeReset();
}

void ChartWidget::setLogY(bool on)
{
    m_data.logY = on;
    if (m_zoomed)
        fitY(m_data, m_hidden, m_view);
    else
        m_view = fullView(m_data, m_hidden);
    update();
}

void ChartWidget::followX(double low, double high)
{
    m_zoomed = true;
    m_view.x.low = low;
    m_view.x.high = high;
    fitY(m_data, m_hidden, m_view);
    update();
}

void ChartWidget::followCursor(double x)
{
    m_cursor = x;
    update();
}

void ChartWidget::setX(double low, double high)
{
    if (!(high > low) || (m_view.x.logarithmic && low <= 0))
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

ChartPainter ChartWidget::painterFor(const QRectF& area) const
{
    return {m_data, m_view, m_hidden, Theme::of(this), font(), area};
}

void ChartWidget::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_framed || hasFocus()) {
        painter.setPen(QPen(hasFocus() ? theme.accent : theme.border, 1));
        painter.setBrush(theme.base);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 7, 7);
    }
    const ChartPainter chart = painterFor(rect());
    chart.paint(painter);
    if (std::isfinite(m_cursor))
        chart.paintCursor(painter, m_cursor);

    // "Showing n of N": a decimated curve says so.
    qint64 shown = 0, total = 0;
    for (const ChartSeries& s : m_data.series) {
        shown += s.points.size();
        total += std::max<qint64>(s.total, s.points.size());
    }
    if (total > shown) {
        QFont small = font();
        small.setPointSizeF(std::max(6.0, small.pointSizeF() * 0.78));
        painter.setFont(small);
        painter.setPen(theme.muted);
        // Left of the label below the middle of the axis.
        const QString label = m_data.xLabel;
        const double room = 0.5 * (width() - QFontMetricsF(font()).horizontalAdvance(label)) - 18;
        const QString note = tr("extremes of %1 points").arg(formatShortCount(static_cast<double>(total)));
        painter.drawText(QRectF(rect()).adjusted(10, 0, -12, -5), Qt::AlignLeft | Qt::AlignBottom,
                         QFontMetricsF(small).elidedText(note, Qt::ElideRight, room));
    }
}

void ChartWidget::setCursorX(double x)
{
    m_cursor = x;
    update();
    Q_EMIT cursorMoved(x);
}

void ChartWidget::mouseMoveEvent(QMouseEvent* event)
{
    const ChartPainter chart = painterFor(rect());
    if (m_dragging) {
        const double share = (m_pressed.x() - event->position().x()) / chart.plotArea().width();
        setX(m_pressedView.x.fromUnit(share), m_pressedView.x.fromUnit(1 + share));
        return;
    }
    const bool inside = chart.plotArea().adjusted(-4, -4, 4, 4).contains(event->position());
    setCursor(chart.legendAt(event->position()) >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setCursorX(inside ? chart.xAt(event->position().x()) : qQNaN());
}

void ChartWidget::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const ChartPainter chart = painterFor(rect());
    const int entry = chart.legendAt(event->position());
    if (entry >= 0) {
        if (!m_hidden.removeOne(entry))
            m_hidden.append(entry);
        if (m_zoomed)
            fitY(m_data, m_hidden, m_view);
        else
            m_view = fullView(m_data, m_hidden);
        update();
    } else if (chart.plotArea().contains(event->position())) {
        m_dragging = true;
        m_pressed = event->position();
        m_pressedView = m_view;
    }
}

void ChartWidget::mouseReleaseEvent(QMouseEvent*)
{
    m_dragging = false;
}

void ChartWidget::mouseDoubleClickEvent(QMouseEvent*)
{
    showAll();
}

void ChartWidget::leaveEvent(QEvent*)
{
    setCursorX(qQNaN());
}

void ChartWidget::wheelEvent(QWheelEvent* event)
{
    // Inside a scroll area the plain wheel scrolls the page; Ctrl+wheel zooms everywhere.
    if (!(event->modifiers() & Qt::ControlModifier) && !hasFocus()) {
        event->ignore();
        return;
    }
    const ChartPainter chart = painterFor(rect());
    zoomAround(chart.xAt(event->position().x()), std::pow(0.999, event->angleDelta().y()));
    event->accept();
}

void ChartWidget::stepCursor(int steps)
{
    QList<double> xs;
    for (const ChartSeries& s : m_data.series)
        for (const QPointF& p : s.points)
            if (p.x() >= m_view.x.low && p.x() <= m_view.x.high)
                xs.append(p.x());
    if (xs.isEmpty())
        return;
    std::sort(xs.begin(), xs.end());
    xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
    if (!std::isfinite(m_cursor)) {
        setCursorX(steps > 0 ? xs.first() : xs.last());
        return;
    }
    auto it = std::lower_bound(xs.cbegin(), xs.cend(), m_cursor);
    qsizetype index = std::min<qsizetype>(it - xs.cbegin(), xs.size() - 1);
    index = std::clamp<qsizetype>(index + steps, 0, xs.size() - 1);
    setCursorX(xs[index]);
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
        stepCursor(-1000000);
        break;
    case Qt::Key_End:
        stepCursor(1000000);
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
        QWidget::keyPressEvent(event);
    }
}

void ChartWidget::focusOutEvent(QFocusEvent* event)
{
    setCursorX(qQNaN());
    QWidget::focusOutEvent(event);
}

void ChartWidget::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(tr("Show &everything"), this, &ChartWidget::showAll);
    QAction* logarithmic = menu.addAction(tr("&Logarithmic scale"), this, [this] { setLogY(!m_data.logY); });
    logarithmic->setCheckable(true);
    logarithmic->setChecked(m_data.logY);
    menu.addSeparator();
    menu.addAction(tr("Show as &table…"), this, &ChartWidget::showAsTable);
    menu.addAction(tr("&Copy as CSV"), this, [this] { QGuiApplication::clipboard()->setText(toCsv()); });
    menu.addAction(tr("Save as &PNG…"), this, &ChartWidget::exportPng);
    menu.addAction(tr("Save as C&SV…"), this, &ChartWidget::exportCsv);
    menu.exec(event->globalPos());
}

QImage ChartWidget::toImage(QSize size, double devicePixelRatio) const
{
    QImage image(size * devicePixelRatio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(devicePixelRatio);
    image.fill(Theme::of(this).base);
    QPainter painter(&image);
    painterFor(QRectF(QPointF(0, 0), QSizeF(size))).paint(painter);
    return image;
}

QString ChartWidget::toCsv() const
{
    const auto number = [](double v) {
        return std::isnan(v) ? QStringLiteral("nan") : QString::number(v, 'g', 17);
    };
    const auto quoted = [](QString text) -> QString { // a string builder would point into `text`
        return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
    };
    QString text = QStringLiteral("series,x,y\n");
    for (const ChartSeries& s : m_data.series)
        for (const QPointF& p : s.points)
            text += quoted(s.name) + QLatin1Char(',') + number(p.x()) + QLatin1Char(',') + number(p.y()) +
                    QLatin1Char('\n');
    return text;
}

void ChartWidget::showAsTable()
{
    auto* dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("%1 as a table").arg(m_data.title));
    dialog->resize(420, 520);
    auto* layout = new QVBoxLayout(dialog);
    qsizetype rows = 0;
    for (const ChartSeries& s : m_data.series)
        rows += s.points.size();
    auto* table = new QTableWidget(static_cast<int>(rows), 3, dialog);
    table->setHorizontalHeaderLabels(
        {tr("Curve"), m_data.xLabel.isEmpty() ? tr("x") : m_data.xLabel, tr("Value")});
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->verticalHeader()->hide();
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    int row = 0;
    for (const ChartSeries& s : m_data.series) {
        for (int i = 0; i < s.points.size(); ++i, ++row) {
            const QString x = s.labels.value(i, formatNumber(s.points[i].x(), 7));
            table->setItem(row, 0, new QTableWidgetItem(s.name));
            table->setItem(row, 1, new QTableWidgetItem(x));
            table->setItem(row, 2, new QTableWidgetItem(formatNumber(s.points[i].y(), 7)));
        }
    }
    layout->addWidget(table);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    layout->addWidget(buttons);
    dialog->open();
}

void ChartWidget::exportPng()
{
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Save the chart"), m_data.title + QStringLiteral(".png"), tr("Images (*.png)"));
    if (!file.isEmpty() && !toImage(size(), 2).save(file))
        QMessageBox::warning(this, tr("Save the chart"),
                             tr("%1 could not be written. Choose a folder you can write to.").arg(file));
}

void ChartWidget::exportCsv()
{
    const QString file =
        QFileDialog::getSaveFileName(this, tr("Save the numbers"), m_data.title + QStringLiteral(".csv"),
                                     tr("Comma-separated values (*.csv)"));
    if (file.isEmpty())
        return;
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(toCsv().toUtf8()) < 0 || !out.commit())
        QMessageBox::warning(this, tr("Save the numbers"),
                             tr("%1 could not be written: %2. Choose a folder you can write to.")
                                 .arg(file, out.errorString()));
}

} // namespace sparserl
