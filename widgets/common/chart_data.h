// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QPointF>
#include <QString>

namespace sparserl {

/// How a series is drawn.
enum class ChartKind
{
    Lines,
    Points,
    LinesAndPoints,
    Bars
};

/// One curve: points with ascending x. A y that is NaN or infinite is kept: it breaks the line and gets a
/// mark.
struct ChartSeries
{
    QString name;
    QList<QPointF> points;
    ChartKind kind = ChartKind::Lines;
    int colour = 0;     ///< Index into Theme::series, taken modulo its length.
    int dash = 0;       ///< 0 solid, 1 dashed, 2 dotted, 3 dash-dot: the second cue beside colour.
    qint64 total = 0;   ///< How many points the data has, where `points` is a decimation; 0: as many as here.
    double opacity = 1; ///< Below 1: a raw curve behind its smoothed one; not in the legend.
    QList<QString> labels; ///< For bars on a category axis: one a point.
};

/// A vertical line: something happened at x (a change of a parameter, a checkpoint, a restart).
struct ChartMark
{
    double x = 0;
    QString text;
};

/// Everything a chart shows.
struct ChartData
{
    QString title, xLabel, yLabel;
    QList<ChartSeries> series;
    QList<ChartMark> marks;
    bool logX = false, logY = false;
    bool zeroBased = false;     ///< The y axis starts at 0 (rates, counts).
    double reference = qQNaN(); ///< A horizontal line, e.g. "as fast as the baseline".
    QString referenceName;
    QString emptyText; ///< What to say while there is no point.
};

} // namespace sparserl
