// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_delegates.h"

#include "widgets/common/icons.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/theme.h"
#include "widgets/training/run_model.h"

#include <QApplication>
#include <QPainter>
#include <algorithm>

namespace sparserl {

namespace {

constexpr int indentation = 13, deepest = 6;

void paintPanel(QPainter* painter, const QStyleOptionViewItem& option)
{
    QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);
}

bool isHead(const QModelIndex& index)
{
    return index.data(RunHeadRole).toBool();
}

/// Points right where a group is collapsed, down where it is not.
void paintChevron(QPainter* painter, const QRect& rect, bool collapsed, const Theme& theme)
{
    const QPointF c = QRectF(rect).center();
    constexpr double reach = 3.6;
    QPolygonF line{
        {c.x() - reach, c.y() - reach / 2}, {c.x(), c.y() + reach / 2}, {c.x() + reach, c.y() - reach / 2}};
    if (collapsed)
        line = {{c.x() - reach / 2, c.y() - reach},
                {c.x() + reach / 2, c.y()},
                {c.x() - reach / 2, c.y() + reach}};
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(theme.text, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPolyline(line);
    painter->restore();
}

/// A square in the middle, of a size that goes with the text as far as there is room.
QRect squareIn(const QRect& rect, int usual)
{
    const int size = std::max(usual, std::min({atTextSize(usual), rect.width() - 4, rect.height() - 4}));
    return {rect.center().x() - size / 2, rect.center().y() - size / 2 + 1, size, size};
}

} // namespace

void TintedIcon::paint(QPainter* painter, const QRect& rect, const QColor& colour)
{
    const qreal ratio = painter->device()->devicePixelRatioF();
    QPixmap& drawn = m_drawn[{colour.rgba(), rect.width(), ratio}];
    if (drawn.isNull()) {
        drawn = QPixmap(rect.size() * ratio);
        drawn.setDevicePixelRatio(ratio);
        drawn.fill(Qt::transparent);
        QPainter on(&drawn);
        themedIcon(m_name, colour).paint(&on, QRect(QPoint(0, 0), rect.size()));
    }
    painter->drawPixmap(rect.topLeft(), drawn);
}

void ShownDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const
{
    QStyleOptionViewItem opt = option;
    initStyleOption(&opt, index);
    paintPanel(painter, opt);
    const Theme& theme = Theme::of(opt.palette);
    if (isHead(index)) {
        paintChevron(painter, opt.rect, index.data(RunCollapsedRole).toBool(), theme);
        return;
    }
    const bool shown = index.data(RunShownRole).toBool();
    if (shown || index.data(RunChartedRole).toBool()) {
        const QColor colour = shown ? theme.text : blend(theme.base, theme.muted, 0.55);
        m_eye.paint(painter, squareIn(opt.rect, 16), colour);
        return;
    }
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(blend(theme.base, theme.muted, 0.45));
    painter->drawEllipse(QRectF(opt.rect).center(), 1.8, 1.8);
    painter->restore();
}

void ColourDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const
{
    QStyleOptionViewItem opt = option;
    initStyleOption(&opt, index);
    paintPanel(painter, opt);
    const QColor colour = Theme::of(opt.palette).seriesColour(index.data(RunColourRole).toInt());
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(colour, 1.4));
    painter->setBrush(index.data(RunChartedRole).toBool() ? QBrush(colour) : QBrush(Qt::NoBrush));
    painter->drawRoundedRect(QRectF(squareIn(opt.rect, 10)), 3, 3);
    painter->restore();
}

void StarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const
{
    QStyleOptionViewItem opt = option;
    initStyleOption(&opt, index);
    paintPanel(painter, opt);
    if (isHead(index))
        return;
    const Theme& theme = Theme::of(opt.palette);
    const bool on = index.data(SortRole).toInt() == 0;
    if (on || (opt.state & QStyle::State_MouseOver))
        (on ? m_filled : m_empty)
            .paint(painter, squareIn(opt.rect, 15), on ? theme.warn : blend(theme.base, theme.muted, 0.6));
}

void LineageDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const
{
    const int depth = m_indented ? std::min(deepest, index.data(RunDepthRole).toInt()) : 0;
    if (depth == 0) {
        QStyleOptionViewItem plain = option;
        if (isHead(index))
            plain.font.setWeight(QFont::DemiBold);
        PlainDelegate::paint(painter, plain, index);
        return;
    }
    QStyleOptionViewItem opt = option;
    initStyleOption(&opt, index);
    paintPanel(painter, opt);
    const Theme& theme = Theme::of(opt.palette);
    const double x = opt.rect.left() + (depth - 1) * indentation + 9.5, y = opt.rect.center().y() + 0.5;
    painter->save();
    painter->setPen(QPen(blend(theme.base, theme.muted, 0.6), 1));
    painter->drawLine(QPointF(x, opt.rect.top() + 3), QPointF(x, y));
    painter->drawLine(QPointF(x, y), QPointF(x + 7, y));
    painter->setFont(opt.font);
    painter->setPen(theme.text);
    const QRect text = opt.rect.adjusted(depth * indentation + 6, 0, -3, 0);
    painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft,
                      opt.fontMetrics.elidedText(visibleText(opt.text), Qt::ElideRight, text.width()));
    painter->restore();
}

QSize LineageDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const int depth = m_indented ? std::min(deepest, index.data(RunDepthRole).toInt()) : 0;
    return PlainDelegate::sizeHint(option, index) + QSize(depth * indentation, 0);
}

void CourseDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const
{
    if (isHead(index)) {
        PlainDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem opt = option;
    initStyleOption(&opt, index);
    paintPanel(painter, opt);
    Theme theme = Theme::of(opt.palette);
    theme.accent = theme.seriesColour(index.data(RunColourRole).toInt());
    QList<double> values;
    const QVariantList list = index.data(SparkRole).toList();
    for (const QVariant& value : list)
        values.append(value.toDouble());
    paintSparkline(*painter, QRectF(opt.rect).adjusted(8, 6, -8, -6), values, theme);
}

QIcon colourIcon(const QColor& colour)
{
    QPixmap pixmap(56, 56); // icons of menus at 200 % and two pixels per point, nearly
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.scale(2, 2);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(QRectF(3, 3, 22, 22), 6, 6);
    return QIcon(pixmap);
}

} // namespace sparserl
