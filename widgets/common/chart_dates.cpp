// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_dates.h"

#include <QDateTime>
#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>

namespace sparserl {

namespace {

constexpr double minute = 60, hour = 3600, day = 86400;
/// Steps between ticks that people count in.
constexpr std::array steps{1.0,     2.0,        5.0,        10.0,        15.0,        30.0,
                           minute,  2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute,
                           hour,    2 * hour,   3 * hour,   6 * hour,    12 * hour,   day,
                           2 * day, 7 * day,    14 * day,   30 * day,    91 * day,    365 * day};

QDateTime timeOf(double seconds)
{
    return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(std::llround(seconds * 1000)));
}

QString dayText(const QDateTime& time)
{
    return QLocale().toString(time.date(), QStringLiteral("d MMM"));
}

/// The first tick at or behind `low`; hours and days begin where this machine's clock has them.
double firstTick(double low, double step)
{
    const double offset = timeOf(low).offsetFromUtc();
    return std::ceil((low + offset) / step) * step - offset;
}

QString tickText(double seconds, double step)
{
    const QDateTime time = timeOf(seconds);
    if (step >= 365 * day)
        return QLocale().toString(time.date(), QStringLiteral("MMM yyyy"));
    if (step >= day || (time.time().hour() == 0 && time.time().minute() == 0 && time.time().second() == 0))
        return dayText(time);
    return time.toString(step < minute ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm"));
}

} // namespace

QString dateText(double seconds)
{
    if (!std::isfinite(seconds))
        return {};
    const QDateTime time = timeOf(seconds);
    return dayText(time) + QLatin1Char(' ') + time.toString(QStringLiteral("HH:mm:ss"));
}

QList<AxisTick> dateTicks(double low, double high, int wanted)
{
    QList<AxisTick> ticks;
    if (!(high > low) || !std::isfinite(high - low))
        return ticks;
    const double least = (high - low) / std::max(1, wanted);
    const auto found = std::lower_bound(steps.begin(), steps.end(), least);
    // Of longer spans than centuries there is nothing to tell.
    const double step = found != steps.end() ? *found : std::ceil(least / steps.back()) * steps.back();
    for (double at = firstTick(low, step); at <= high && ticks.size() <= 2 * wanted + 2; at += step) {
        // The clock may have been put forward or back since.
        const double there = step > hour ? firstTick(at - hour, std::min(step, day)) : at;
        const double tick = std::abs(there - at) <= hour && there >= low ? there : at;
        if (tick <= high && (ticks.isEmpty() || tick > ticks.last().value))
            ticks.append({tick, tickText(tick, step)});
    }
    return ticks;
}

QString dateTitle(double low, double high)
{
    if (!std::isfinite(high - low))
        return {};
    const QDateTime first = timeOf(low), last = timeOf(high);
    const QLocale locale;
    const QString whole = QStringLiteral("d MMM yyyy");
    if (first.date() == last.date())
        return locale.toString(first.date(), whole);
    return locale.toString(first.date(), whole) + QStringLiteral(" – ") + locale.toString(last.date(), whole);
}

} // namespace sparserl
