// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/curves/curve.h"

#include <QList>
#include <QString>
#include <cstdint>
#include <memory>

namespace sparserl {

/// How a series is drawn.
enum class ChartKind
{
    Lines,
    LinesAndPoints,
    Points, ///< No lines: every point is drawn, for a few thousand of them.
    Bars,
    Boxes ///< Of a box plot; the curve holds the medians.
};

/// What x counts.
enum class ChartX
{
    Number,
    Whole,   ///< Steps: no tick between two of them.
    Seconds, ///< The axis picks seconds, minutes, hours or days.
    Date     ///< Unix seconds; the axis shows dates and times of this machine's clock.
};

/// What lies around the median of a box: the smallest and the largest value, the quartiles, and of how many
/// values.
struct ChartBox
{
    double low = 0, lowerQuartile = 0, upperQuartile = 0, high = 0;
    std::int64_t count = 0;
    bool operator==(const ChartBox&) const = default;
};

/// One curve. A y that is NaN or infinite is kept: it breaks the line and gets a mark. Copies share the
/// points: who appends to them tells the chart by ChartWidget::setData().
struct ChartSeries
{
    QString name;
    std::shared_ptr<Curve> curve = std::make_shared<Curve>();
    ChartKind kind = ChartKind::Lines;
    int colour = 0;         ///< Of Theme::seriesColour(); negative: the muted one.
    int dash = 0;           ///< 0 solid, 1 dashed, 2 dotted, 3 dash-dot: the second cue beside colour.
    bool rightAxis = false; ///< Measured on an axis of its own, on the right.
    bool strong = false;    ///< The one that others are compared with.
    QStringList labels;     ///< For bars: what stands under each.
    QList<ChartBox> boxes;  ///< For boxes: one around each point of the curve.
    /// For lines: the edges of a band behind the curve, with the same x as each other; null: there is none.
    std::shared_ptr<const Curve> low, high;

    qsizetype size() const { return static_cast<qsizetype>(curve->size()); }
};

/// An entry of the legend that stands for several curves: all of one run, or all that are dashed.
struct ChartLegendEntry
{
    QString name;
    QList<int> series;
    int colour = -1; ///< As of a series; negative: its curves have several.
    int dash = 0;
    bool strong = false;
};

/// A vertical line: something happened at x (a change of a parameter, a checkpoint, a restart).
struct ChartMark
{
    double x = 0;
    QString text;
    bool operator==(const ChartMark&) const = default;
};

/// Everything a chart shows.
struct ChartData
{
    QString title, hint; ///< The hint stands beside the title: unit, which direction is good.
    QString xLabel;
    /// For bars and boxes: what stands under x = 0, 1, ...; empty: the longest of the series' labels. May
    /// have several lines.
    QStringList categories;
    QString leftLabel, rightLabel; ///< What each axis measures, where there are two.
    ChartX x = ChartX::Number;
    QList<ChartSeries> series;
    QList<ChartLegendEntry> legend; ///< Empty: an entry for each curve.
    QList<ChartMark> marks;
    bool logY = false;
    bool logX = false;          ///< By decades; every x is positive. Not for bars and boxes.
    bool zeroBased = false;     ///< The y axis starts at 0 (rates, counts).
    double mostY = qQNaN();     ///< No y can be higher (100 %), so the axis ends there at the latest.
    double reference = qQNaN(); ///< A horizontal line, e.g. "as fast as the baseline".
    QString referenceName;
    QString emptyText; ///< What to say while there is no point.

    bool empty() const;
    bool hasBars() const;
    bool hasBoxes() const;
    bool onCategories() const; ///< Bars or boxes: x counts what stands beside each other.
    /// What stands under x = 0, 1, ... of bars and boxes.
    QStringList categoryNames() const;
    bool hasRightAxis() const; ///< A series with points is measured there.
};

} // namespace sparserl
