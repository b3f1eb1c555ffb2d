// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_scale.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

/// An axis ends here at the latest, and what lies beyond `farthest` is drawn there: differences of numbers
/// that are larger still are no numbers.
constexpr double longest = 1e307, farthest = 1e308;

} // namespace

double AxisScale::toUnit(double value) const
{
    if (logarithmic)
        return (std::log10(std::max(value, 1e-300)) - std::log10(low)) / (std::log10(high) - std::log10(low));
    return (std::clamp(value, -farthest, farthest) - low) / (high - low);
}

double AxisScale::fromUnit(double unit) const
{
    if (logarithmic)
        return std::pow(10.0, std::log10(low) + unit * (std::log10(high) - std::log10(low)));
    return low + unit * (high - low);
}

bool looksSame(const AxisScale& a, const AxisScale& b, double pixels)
{
    if (a == b)
        return true;
    const double half = 0.5 / pixels;
    return pixels > 0 && a.logarithmic == b.logarithmic && std::abs(a.toUnit(b.low)) <= half &&
           std::abs(a.toUnit(b.high) - 1) <= half;
}

void limitRange(AxisScale& scale)
{
    const double least = scale.logarithmic ? 1 / longest : -longest;
    scale.low = std::clamp(scale.low, least, longest);
    scale.high = std::clamp(scale.high, least, longest);
}

void padRange(AxisScale& scale, double share)
{
    if (scale.logarithmic) {
        if (!(scale.low > 0))
            scale.low = 1e-3;
        if (!(scale.high > scale.low * 1.0001)) {
            scale.low /= 2;
            scale.high = scale.low * 4;
            return;
        }
        const double factor = std::pow(scale.high / scale.low, share);
        scale.low /= factor;
        scale.high *= factor;
        limitRange(scale);
        return;
    }
    limitRange(scale);
    double pad = (scale.high - scale.low) * share;
    const double size = std::max(std::abs(scale.low), std::abs(scale.high));
    if (!(scale.high - scale.low > size * 1e-12)) // one value only
        pad = size > 0 ? size * 0.1 : 1;
    scale.low -= pad;
    scale.high += pad;
}

double niceStep(double span, int wanted)
{
    if (!(span > 0) || !std::isfinite(span))
        return 0;
    const double raw = span / std::max(1, wanted);
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 2.5, 5.0})
        if (factor * power >= raw * 0.999)
            return factor * power;
    return 10 * power;
}

int decimalsOf(double step)
{
    int decimals = 0;
    for (double s = step; decimals < 8 && std::abs(s - std::round(s)) > 1e-6 * std::abs(s); s *= 10)
        ++decimals;
    return decimals;
}

namespace {

QString labelOf(double value, double step, double largest)
{
    const QLocale locale;
    if (value == 0)
        return locale.toString(0);
    if (largest >= 1e7 || largest < 1e-4)
        return locale.toString(value, 'g', 3);
    double unit = 1;
    QString prefix;
    if (largest >= 1e6) {
        unit = 1e6;
        prefix = QStringLiteral(" M");
    } else if (largest >= 1e4) {
        unit = 1e3;
        prefix = QStringLiteral(" k");
    }
    return locale.toString(value / unit, 'f', decimalsOf(step / unit)) + prefix;
}

} // namespace

QList<AxisTick> niceTicks(const AxisScale& scale, int wanted)
{
    QList<AxisTick> ticks;
    const double step = niceStep(scale.high - scale.low, wanted);
    if (!(step > 0))
        return ticks;
    const double first = std::ceil(scale.low / step - 1e-9), last = std::floor(scale.high / step + 1e-9);
    const double largest = std::max(std::abs(first), std::abs(last)) * step;
    for (double k = first; k <= last && ticks.size() < 64; ++k)
        ticks.append({k * step, labelOf(k * step, step, largest)});
    return ticks;
}

} // namespace sparserl
