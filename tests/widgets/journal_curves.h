// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/journal.h"
#include "widgets/common/chart_widget.h"

#include <QString>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace sparserl::test {

struct JournalPoint
{
    double value = 0, t = 0;
};
/// What a journal says of one metric and split: by step, the last word counts.
using JournalCurve = std::map<std::int64_t, JournalPoint>;

/// By metric and split.
inline std::map<std::pair<std::string, std::string>, JournalCurve> curvesOf(const std::filesystem::path& run)
{
    std::map<std::pair<std::string, std::string>, JournalCurve> curves;
    const auto entries = readWholeJournal(run);
    if (!entries)
        return curves;
    for (const JournalEntry& entry : *entries)
        if (const auto* metrics = std::get_if<MetricEvent>(&entry.event))
            for (const auto& [name, value] : metrics->values)
                curves[{name, metrics->split}][entry.step] = {value, entry.t};
    return curves;
}

inline bool sameNumber(double a, double b)
{
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// Empty, or where a curve and the journal differ.
inline QString difference(const Curve& curve, const JournalCurve& journal, double origin = qQNaN())
{
    if (curve.size() != journal.size())
        return QStringLiteral("%1 points, %2 in the journal").arg(curve.size()).arg(journal.size());
    std::size_t i = 0;
    for (const auto& [step, point] : journal) {
        const double x = std::isfinite(origin) ? point.t - origin : static_cast<double>(step);
        const bool sameX = std::isfinite(origin) ? std::abs(curve.x(i) - x) < 1e-3 : curve.x(i) == x;
        if (!sameX || !sameNumber(curve.y(i), point.value))
            return QStringLiteral("point %1: (%2, %3), not (%4, %5)")
                .arg(i)
                .arg(curve.x(i))
                .arg(curve.y(i))
                .arg(x)
                .arg(point.value);
        ++i;
    }
    return {};
}

} // namespace sparserl::test
