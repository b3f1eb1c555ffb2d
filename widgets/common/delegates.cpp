// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/delegates.h"

#include "widgets/common/plain_text.h"
#include <QApplication>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

void paintBackground(QPainter* painter, const QStyleOptionViewItem& option)
{
    const QWidget* widget = option.widget;
    QStyle* style = widget ? widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, widget);
}

} // namespace

void PlainDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    option->state &= ~QStyle::State_HasFocus;
    if (const QVariant tone = index.data(TextToneRole); tone.isValid()) {
        const QColor colour = toneColour(Theme::of(option->palette), static_cast<Tone>(tone.toInt()));
        option->palette.setColor(QPalette::Text, colour);
        option->palette.setColor(QPalette::HighlightedText, colour);
    }
}

QColor toneColour(const Theme& theme, Tone tone)
{
    switch (tone) {
    case Tone::Accent:
        return theme.accent;
    case Tone::Good:
        return theme.good;
    case Tone::Warn:
        return theme.warn;
    case Tone::Bad:
        return theme.bad;
    case Tone::Neutral:
        break;
    }
    return theme.muted;
}

void paintBadge(QPainter& painter, const QRectF& area, const QString& text, Tone tone, const Theme& theme,
                const QFont& font)
{
    QFont small = font;
    small.setPointSizeF(std::max(6.5, font.pointSizeF() * 0.9));
    const QFontMetricsF metrics(small);
    const double width = std::min(metrics.horizontalAdvance(text) + 14, area.width());
    const double height = metrics.height() + 3;
    const QRectF badge(area.left(), area.center().y() - height / 2, width, height);
    const QColor colour = toneColour(theme, tone);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(blend(theme.base, colour, theme.dark ? 0.22 : 0.13));
    painter.drawRoundedRect(badge, height / 2, height / 2);
    painter.setPen(tone == Tone::Neutral ? theme.text : colour);
    painter.setFont(small);
    painter.drawText(badge, Qt::AlignCenter,
                     metrics.elidedText(visibleText(text), Qt::ElideRight, width - 10));
    painter.restore();
}

void BadgeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const
{
    QStyleOptionViewItem opt = option;
    initStyleOption(&opt, index);
    const QString text = opt.text;
    paintBackground(painter, opt);
    if (text.isEmpty())
        return;
    paintBadge(*painter, QRectF(opt.rect).adjusted(6, 0, -4, 0), text,
               static_cast<Tone>(index.data(ToneRole).toInt()), Theme::of(opt.palette), opt.font);
}

QSize BadgeDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    return QStyledItemDelegate::sizeHint(option, index) + QSize(16, 0);
}

void paintSparkline(QPainter& painter, const QRectF& area, const QList<double>& values, const Theme& theme)
{
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double v : values) {
        if (std::isfinite(v)) {
            low = std::min(low, v);
            high = std::max(high, v);
        }
    }
    if (values.isEmpty())
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double step = values.size() > 1 ? area.width() / static_cast<double>(values.size() - 1) : 0;
    const auto toPixel = [&](qsizetype i) {
        const double unit = high > low ? (values[i] - low) / (high - low) : 0.5;
        return QPointF(area.left() + step * static_cast<double>(i), area.bottom() - unit * area.height());
    };
    QPainterPath path;
    bool open = false;
    QPointF last;
    for (qsizetype i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            open = false;
            painter.setPen(QPen(theme.bad, 1.5));
            const double x = area.left() + step * static_cast<double>(i);
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
            continue;
        }
        last = toPixel(i);
        open ? path.lineTo(last) : path.moveTo(last);
        open = true;
    }
    painter.setPen(QPen(theme.accent, 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    if (open) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.accent);
        painter.drawEllipse(last, 2, 2);
    }
    painter.restore();
}

void SparklineDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const
{
    QStyleOptionViewItem opt = option;
    initStyleOption(&opt, index);
    paintBackground(painter, opt);
    QList<double> values;
    const QVariantList list = index.data(SparkRole).toList();
    for (const QVariant& v : list)
        values.append(v.toDouble());
    paintSparkline(*painter, QRectF(opt.rect).adjusted(8, 6, -8, -6), values, Theme::of(opt.palette));
}

void PictureDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const
{
    QStyleOptionViewItem opt = option;
    initStyleOption(&opt, index);
    paintBackground(painter, opt);
    const auto picture = index.data(PictureRole).value<QImage>();
    if (picture.isNull())
        return;
    // It grows with the text as far as its cell has room.
    const QSizeF usual = picture.deviceIndependentSize();
    constexpr int parts = 100;
    const double grown =
        std::max(1.0, std::min({1.0 * atTextSize(parts) / parts, opt.rect.width() / usual.width(),
                                opt.rect.height() / usual.height()}));
    QRectF area({}, usual * grown);
    area.moveCenter(QRectF(opt.rect).center());
    painter->drawImage(area, picture);
}

BadgeLabel::BadgeLabel(QWidget* parent)
    : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void BadgeLabel::setBadge(const QString& text, Tone tone)
{
    m_text = text;
    m_tone = tone;
    setAccessibleName(text);
    updateGeometry();
    update();
}

QSize BadgeLabel::sizeHint() const
{
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(m_text) + 14, metrics.height() + 6};
}

void BadgeLabel::paintEvent(QPaintEvent*)
{
    if (m_text.isEmpty())
        return;
    QPainter painter(this);
    paintBadge(painter, QRectF(rect()), m_text, m_tone, Theme::of(this), font());
}

} // namespace sparserl
