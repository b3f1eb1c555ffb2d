// SPDX-License-Identifier: Apache-2.0
// A chart as a picture, a drawing, a table and a file.
#include "base/source_name.h"
#include "widgets/common/chart_curves.h"
#include "widgets/common/chart_table.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/new_file.h"
#include "widgets/common/typed_path.h"

#include <QBuffer>
#include <QGraphicsLayout>
#include <QMessageBox>
#include <QPainter>
#include <QSvgGenerator>
#include <QtCharts/QChart>

namespace sparserl {

void ChartWidget::renderTo(QPainter& painter, QSize size) const
{
    // A chart of its own, because Qt Charts lays out one size at a time.
    ChartWidget copy;
    copy.setPalette(palette());
    copy.setFont(font());
    copy.m_curves->setCacheMode(QGraphicsItem::NoCache); // curves stay lines in a drawing
    copy.m_hidden = m_hidden;
    copy.m_zoomed = m_zoomed;
    copy.m_view = m_view;
    copy.m_framed = false;
    copy.m_userLog = m_userLog;
    copy.m_data.title = m_data.title;
    copy.resize(size);
    copy.applyLook();
    copy.setData(m_data);
    copy.chart()->resize(size);
    copy.chart()->layout()->activate();
    copy.applyView();
    copy.chart()->layout()->activate();
    copy.scene()->setSceneRect(QRectF(QPointF(0, 0), QSizeF(size)));
    copy.scene()->render(&painter, QRectF(QPointF(0, 0), QSizeF(size)), copy.scene()->sceneRect());
}

QImage ChartWidget::toImage(QSize size, double devicePixelRatio) const
{
    QImage image(size * devicePixelRatio, QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(devicePixelRatio);
    image.fill(Theme::of(this).base);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    renderTo(painter, size);
    return image;
}

QByteArray ChartWidget::toSvg() const
{
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(size());
    generator.setViewBox(rect());
    generator.setTitle(m_data.title);
    QPainter painter(&generator);
    painter.fillRect(rect(), Theme::of(this).base);
    renderTo(painter, size());
    painter.end();
    return buffer.data();
}

void ChartWidget::showAsTable()
{
    showChartTable(m_data, this);
}

void ChartWidget::saveText(const QString& title, const QString& suffix, const QString& filter,
                           const QByteArray& text)
{
    const QString file =
        chooseNewFile(this, title, toQString(copyName(QString(m_data.title + suffix).toStdString())), filter);
    if (file.isEmpty())
        return;
    if (const Status saved = saveFile(file, text); !saved)
        QMessageBox::warning(this, title, sentenceOf(saved.error()));
}

void ChartWidget::exportPng()
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    toImage(size(), 2).save(&buffer, "PNG");
    saveText(tr("Save the chart"), QStringLiteral(".png"), tr("Images (*.png)"), buffer.data());
}

void ChartWidget::exportSvg()
{
    saveText(tr("Save the chart"), QStringLiteral(".svg"), tr("Drawings (*.svg)"), toSvg());
}

void ChartWidget::exportCsv()
{
    saveText(tr("Save the numbers"), QStringLiteral(".csv"), tr("Comma-separated values (*.csv)"),
             chartCsv(m_data).toUtf8());
}

} // namespace sparserl
