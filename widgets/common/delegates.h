// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/theme.h"

#include <QStyledItemDelegate>
#include <vector>

namespace sparserl {

/// What a cell means, so that colour is never the only cue.
enum class Tone
{
    Neutral,
    Accent,
    Good,
    Warn,
    Bad
};
QColor toneColour(const Theme& theme, Tone tone);

/// Roles that the delegates below read.
enum ItemRole
{
    ToneRole = Qt::UserRole + 100, ///< int(Tone): the badge's colour.
    SparkRole,                     ///< QVariantList of doubles.
    SortRole,                      ///< The bare value behind a formatted cell.
    KeyRole,                       ///< What identifies the row.
    PictureRole,                   ///< QImage, painted as it is.
    TextToneRole                   ///< int(Tone): the colour of the text, whatever theme is chosen later.
};

/// Cells without the frame around the current one: the whole row is marked. Their text may have a tone.
class PlainDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

/// A rounded label in a tone's colour, with the cell's text.
class BadgeDelegate : public PlainDelegate
{
    Q_OBJECT

public:
    using PlainDelegate::PlainDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// A small curve; gaps and ticks where values are not finite.
class SparklineDelegate : public PlainDelegate
{
    Q_OBJECT

public:
    using PlainDelegate::PlainDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

/// A small picture. Not Qt::DecorationRole: that goes through an icon, whose pixmaps stay in QPixmapCache
/// although each answer of the model is a new one, until the cache's 10 MiB are full of what nobody asks for
/// again.
class PictureDelegate : public PlainDelegate
{
    Q_OBJECT

public:
    using PlainDelegate::PlainDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

void paintBadge(QPainter& painter, const QRectF& area, const QString& text, Tone tone, const Theme& theme,
                const QFont& font);
void paintSparkline(QPainter& painter, const QRectF& area, const QList<double>& values, const Theme& theme);

/// A badge as a widget.
class BadgeLabel : public QWidget
{
    Q_OBJECT

public:
    explicit BadgeLabel(QWidget* parent = nullptr);
    void setBadge(const QString& text, Tone tone);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
    Tone m_tone = Tone::Neutral;
};

} // namespace sparserl
