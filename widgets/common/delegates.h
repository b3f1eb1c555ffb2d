// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/theme.h"

#include <QStyledItemDelegate>
#include <vector>

namespace sparserl {

/// The meaning of a cell. It is never expressed only through colour.
enum class Tone
{
    Neutral,
    Accent,
    Good,
    Warn,
    Bad
};
QColor toneColour(const Theme& theme, Tone tone);

/// Roles used in the delegates below.
enum ItemRole
{
    ToneRole = Qt::UserRole + 100, ///< int(Tone): the badge's colour.
    SparkRole,                     ///< QVariantList of doubles.
    SortRole,                      ///< The raw value of a formatted cell.
    KeyRole,                       ///< Identifies the row.
    PictureRole,                   ///< QImage, painted unscaled.
    TextToneRole                   ///< int(Tone): the text colour under any theme.
};

/// Draws cells. The current cell has no frame, because the whole row is marked. Text may have a tone.
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

/// A small curve with gaps and ticks at non-finite values.
class SparklineDelegate : public PlainDelegate
{
    Q_OBJECT

public:
    using PlainDelegate::PlainDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

/// Draws a small picture. It does not use Qt::DecorationRole, which creates icons: each answer of the model
/// would add pixmaps to QPixmapCache until its 10 MiB are full of unused ones.
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

/// A widget that shows a badge.
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
