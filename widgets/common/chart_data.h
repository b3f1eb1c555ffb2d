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
    Points, ///< Draws every point, without lines; for up to a few thousand points.
    Bars,
    Boxes ///< A box plot; the curve holds the medians.
};

/// The unit of x.
enum class ChartX
{
    Number,
    Whole,   ///< Steps: no ticks between integers.
    Seconds, ///< The axis selects seconds, minutes, hours or days.
    Date     ///< Unix seconds; the axis shows local dates and times.
};

/// A box around a median: minimum, maximum, quartiles, and the number of values.
struct ChartBox
{
    double low = 0, lowerQuartile = 0, upperQuartile = 0, high = 0;
    std::int64_t count = 0;
    bool operator==(const ChartBox&) const = default;
};

/// One curve. NaN or infinite y are kept: they interrupt the line and get a mark. Copies share the points.
/// After appending points, call ChartWidget::setData().
struct ChartSeries
{
    QString name;
    std::shared_ptr<Curve> curve = std::make_shared<Curve>();
    ChartKind kind = ChartKind::Lines;
    int colour = 0; ///< For Theme::seriesColour(); negative: the muted one.
    /// 0 solid, 1 dashed, 2 dotted, 3 dash-dot; distinguishes curves in addition to the colour.
    int dash = 0;
    bool rightAxis = false; ///< Uses a separate axis on the right.
    bool strong = false;    ///< The reference for comparisons.
    QStringList labels;     ///< For bars: the text below each bar.
    QList<ChartBox> boxes;  ///< For boxes: one for each point of the curve.
    /// For lines: the edges of a band around the curve, with the same x; null: none.
    std::shared_ptr<const Curve> low, high;

    qsizetype size() const { return static_cast<qsizetype>(curve->size()); }
};

/// A legend entry for several curves: all curves of one run, or all dashed ones.
struct ChartLegendEntry
{
    QString name;
    QList<int> series;
    int colour = -1; ///< As in ChartSeries; negative: its curves have several colours.
    int dash = 0;
    bool strong = false;
};

/// A vertical line for an event at x (a parameter change, a checkpoint, a restart).
struct ChartMark
{
    double x = 0;
    QString text;
    bool operator==(const ChartMark&) const = default;
};

/// The contents of a chart.
struct ChartData
{
    /// The hint is shown beside the title: the unit, and whether higher or lower is better.
    QString title, hint;
    QString xLabel;
    /// For bars and boxes: the texts below x = 0, 1, ..., which may have several lines. If empty, the longest
    /// `labels` of a series are used.
    QStringList categories;
    QString leftLabel, rightLabel; ///< Names of the axes, if there are two.
    ChartX x = ChartX::Number;
    QList<ChartSeries> series;
    QList<ChartLegendEntry> legend; ///< Empty: one entry per curve.
    QList<ChartMark> marks;
    bool logY = false;
    bool logX = false;          ///< Logarithmic x axis; every x must be positive. Not for bars and boxes.
    bool zeroBased = false;     ///< The y axis starts at 0 (rates, counts).
    double mostY = qQNaN();     ///< Greatest possible y (such as 100 %), at which the axis ends.
    double reference = qQNaN(); ///< A horizontal line, e.g. "as fast as the baseline".
    QString referenceName;
    QString emptyText; ///< Shown while there are no points.

    bool empty() const;
    bool hasBars() const;
    bool hasBoxes() const;
    bool onCategories() const; ///< Whether there are bars or boxes, so that x is an index of categories.
    /// The texts below x = 0, 1, ... of bars and boxes.
    QStringList categoryNames() const;
    bool hasRightAxis() const; ///< Whether a series with points uses the right axis.
};

} // namespace sparserl
