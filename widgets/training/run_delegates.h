// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/delegates.h"

#include <QPixmap>
#include <map>
#include <tuple>

namespace sparserl {

/// An icon in several colours, drawn once for each: a cell is painted too often to read a drawing each time.
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

/// An eye: open where the run stays on the charts, pale where it is there only while it is selected, a dot
/// where it is not.
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

/// A square of the run's colour; only its border where the run is not on the charts.
class ColourDelegate : public PlainDelegate
{
    Q_OBJECT

public:
    using PlainDelegate::PlainDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

/// A star, filled or hardly there.
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

/// A name below its parent, while the rows stand in the order of their lineage.
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

/// The sparkline of a run in its colour.
class CourseDelegate : public PlainDelegate
{
    Q_OBJECT

public:
    using PlainDelegate::PlainDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

/// A square of a colour, as an icon.
QIcon colourIcon(const QColor& colour);

} // namespace sparserl
