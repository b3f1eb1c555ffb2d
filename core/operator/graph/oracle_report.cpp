// SPDX-License-Identifier: Apache-2.0
#include "operator/graph/oracle_report.h"

#include "operator/graph/shown_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

std::vector<std::string> flagsOf(const OracleReport& report)
{
    std::vector<std::string> flags;
    for (const OutputSummary& output : report.outputs) {
        if (output.oneValue)
            flags.push_back(
                fmt::format("All elements of {} are equal: a constant would pass.", shownName(output.name)));
        if (output.rounding)
            flags.push_back(
                fmt::format("{} is little more than rounding: fp32 differs from fp64 by {:.2g} of its "
                            "largest magnitude, so that almost any result would pass.",
                            shownName(output.name), output.noise));
    }
    for (const std::string& name : report.deaf)
        flags.push_back(fmt::format(
            "No output reacts to the values of {}: a program that ignores it would pass.", shownName(name)));
    return flags;
}

bool isRounding(const OracleReport& report)
{
    return std::ranges::any_of(report.outputs, &OutputSummary::rounding);
}

} // namespace sparserl
