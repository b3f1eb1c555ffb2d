// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/chart_scale.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

namespace sparserl {

double AxisScale::toUnit(double value) const
{
    if (logarithmic)
        return (std::log10(std::max(value, 1e-300)) - std::log10(low)) / (std::log10(high) - std::log10(low));
    return (value - low) / (high - low);
}

double AxisScale::fromUnit(double unit) const
{
    if (logarithmic)
        return std::pow(10.0, std::log10(low) + unit * (std::log10(high) - std::log10(low)));
    return low + unit * (high - low);
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
        return;
    }
    double pad = (scale.high - scale.low) * share;
    const double size = std::max(std::abs(scale.low), std::abs(scale.high));
    if (!(scale.high - scale.low > size * 1e-12)) // one value only
        pad = size > 0 ? size * 0.1 : 1;
    scale.low -= pad;
    scale.high += pad;
}

namespace {

QString linearLabel(double value, double step, double largest)
{
    const QLocale locale;
    if (value == 0)
        return locale.toString(0);
    if (largest >= 1e7 || largest < 1e-4)
        return locale.toString(value, 'g', 3);
    double shown = value, shownStep = step;
    QString unit;
    if (largest >= 1e6) {
        shown /= 1e6, shownStep /= 1e6;
        unit = QStringLiteral(" M");
    } else if (largest >= 1e4) {
        shown /= 1e3, shownStep /= 1e3;
        unit = QStringLiteral(" k");
    }
    // As many decimals as the step needs: 2.5 and 0.25 are steps too.
    int decimals = 0;
    for (double s = shownStep; decimals < 8 && std::abs(s - std::round(s)) > 1e-6 * std::abs(s); s *= 10)
        ++decimals;
    return locale.toString(shown, 'f', decimals) + unit;
}

QList<AxisTick> linearTicks(const AxisScale& scale, int wanted)
{
    QList<AxisTick> ticks;
    const double span = scale.high - scale.low;
    if (!(span > 0) || !std::isfinite(span))
        return ticks;
    const double raw = span / std::max(1, wanted);
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
        if (factor * power >= raw * 0.999) {
            step = factor * power;
            break;
        }
    }
    const double first = std::ceil(scale.low / step - 1e-9), last = std::floor(scale.high / step + 1e-9);
    const double largest = std::max(std::abs(first), std::abs(last)) * step;
    for (double k = first; k <= last && ticks.size() < 64; ++k)
        ticks.append({k * step, linearLabel(k * step, step, largest)});
    return ticks;
}

QString powerLabel(double value)
{
    const QLocale locale;
    if (value >= 1e-3 && value < 1e4)
        return locale.toString(value, 'g', 4);
    if (value >= 1e4 && value < 1e6)
        return locale.toString(value / 1e3, 'g', 4) + QStringLiteral(" k");
    if (value >= 1e6 && value < 1e9)
        return locale.toString(value / 1e6, 'g', 4) + QStringLiteral(" M");
    return locale.toString(value, 'g', 1);
}

QList<AxisTick> logTicks(const AxisScale& scale, int wanted)
{
    QList<AxisTick> ticks;
    if (!(scale.low > 0) || !(scale.high > scale.low))
        return ticks;
    const double decades = std::log10(scale.high / scale.low);
    const int first = static_cast<int>(std::floor(std::log10(scale.low)));
    const int last = static_cast<int>(std::ceil(std::log10(scale.high)));
    const int stride = std::max(1, static_cast<int>(std::ceil(decades / std::max(1, wanted))));
    const bool labelMinor = decades < 1.2;
    for (int exponent = first; exponent <= last; ++exponent) {
        for (int digit = 1; digit < 10; ++digit) {
            const double value = digit * std::pow(10.0, exponent);
            if (value < scale.low * 0.9999 || value > scale.high * 1.0001)
                continue;
            const bool major = digit == 1 && (exponent - first) % stride == 0;
            const bool labelled = major || (labelMinor && (digit == 2 || digit == 5));
            if (digit == 1 || decades < 5)
                ticks.append({value, labelled ? powerLabel(value) : QString()});
        }
    }
    return ticks;
}

} // namespace

QList<AxisTick> niceTicks(const AxisScale& scale, int wanted)
{
    return scale.logarithmic ? logTicks(scale, wanted) : linearTicks(scale, wanted);
}

} // namespace sparserl
