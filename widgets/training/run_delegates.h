// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/delegates.h"

#include <QPixmap>
#include <map>
#include <tuple>

namespace sparserl {

/// An icon in several colours. It is rendered once for each colour, because cells are painted too often to
/// render the drawing each time.
class TintedIcon
{
public:
    explicit TintedIcon(QString name)
        : m_name(std::move(name))
    {
    }
    void paint(QPainter* painter, const QRect& rect, const QColor& colour);

private:
    QString m_name;
    std::map<std::tuple<QRgb, int, qreal>, QPixmap> m_drawn;
};

/// Draws an open eye if the run stays on the charts, a pale eye if it is on the charts only while it is
/// selected, and otherwise a dot.
class ShownDelegate : public PlainDelegate
{
    Q_OBJECT

public:
    using PlainDelegate::PlainDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

private:
    mutable TintedIcon m_eye{QStringLiteral("eye")};
};

/// Draws a square in the run's colour, or only its border if the run is not on the charts.
class ColourDelegate : public PlainDelegate
{
    Q_OBJECT

public:
    using PlainDelegate::PlainDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

/// Draws a star, which is filled or very pale.
class StarDelegate : public PlainDelegate
{
    Q_OBJECT

public:
    using PlainDelegate::PlainDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

private:
    mutable TintedIcon m_filled{QStringLiteral("star-filled")}, m_empty{QStringLiteral("star")};
};

/// Draws the name of a run, indented below its parent while the rows are in the order of their lineage.
class LineageDelegate : public PlainDelegate
{
    Q_OBJECT

public:
    using PlainDelegate::PlainDelegate;
    void setIndented(bool on) { m_indented = on; }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

private:
    bool m_indented = true;
};

/// Draws the sparkline of a run in the run's colour.
class CourseDelegate : public PlainDelegate
{
    Q_OBJECT

public:
    using PlainDelegate::PlainDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

/// An icon that shows a square of this colour.
QIcon colourIcon(const QColor& colour);

} // namespace sparserl
