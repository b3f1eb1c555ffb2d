// SPDX-License-Identifier: Apache-2.0
#include "evaluation/audit/group_difference.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

namespace {

bool has(std::uint32_t word, std::size_t feature)
{
    return feature < 32 ? (word >> feature & 1) != 0 : word == 0;
}

} // namespace

/// With t = sqrt(degrees) tan(angle) the density is c cos(angle)^(degrees - 1); Simpson's rule over the tail.
double studentTail(double t, double degrees)
{
    if (!std::isfinite(t))
        return 0;
    constexpr int intervals = 4000;
    const double from = std::atan(std::abs(t) / std::sqrt(degrees)), to = std::acos(-1.0) / 2;
    const double c =
        std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2)) / std::sqrt(std::acos(-1.0));
    double sum = 0;
    for (int i = 0; i <= intervals; ++i) {
        const double angle = from + (to - from) * i / intervals;
        const double weight = i == 0 || i == intervals ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * std::pow(std::max(0.0, std::cos(angle)), degrees - 1);
    }
    return std::min(1.0, 2 * c * sum * (to - from) / (3.0 * intervals));
}

double studentQuantile(double probability, double degrees)
{
    double low = 0, high = 1;
    while (studentTail(high, degrees) > probability && high < 1e9)
        high *= 2;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (studentTail(middle, degrees) > probability ? low : high) = middle;
    }
    return (low + high) / 2;
}

GroupDifference compareGroups(std::span<const std::vector<Observed>> runs, std::size_t tests, double level)
{
    GroupDifference result;
    double smallestP = 2;
    for (const auto& run : runs)
        for (const Observed& one : run)
            ++(one.first ? result.first : result.second);
    for (std::size_t feature = 0; feature < observedFeatures; ++feature) {
        std::vector<double> differences;
        for (const auto& run : runs) {
            double counts[2] = {}, seen[2] = {};
            for (const Observed& one : run) {
                const std::size_t group = one.first ? 0 : 1;
                ++counts[group];
                seen[group] += has(one.word, feature);
            }
            if (counts[0] > 0 && counts[1] > 0)
                differences.push_back(seen[0] / counts[0] - seen[1] / counts[1]);
        }
        const auto n = static_cast<double>(differences.size());
        if (n < 3)
            continue;
        double mean = 0, square = 0;
        for (const double d : differences)
            mean += d / n;
        for (const double d : differences)
            square += (d - mean) * (d - mean) / (n - 1);
        if (mean == 0 && square == 0)
            continue; // It says the same everywhere.
        const double error = std::sqrt(square / n);
        const double p = error == 0 ? 0 : studentTail(mean / error, n - 1);
        result.smallest =
            std::max(result.smallest, (studentQuantile(level / static_cast<double>(tests), n - 1) +
                                       studentQuantile(0.4, n - 1)) *
                                          error);
        if (p >= smallestP)
            continue;
        smallestP = p;
        result.feature = feature < 32 ? fmt::format("bit {}", feature) : "zero";
        result.distance = mean;
        result.halfWidth = studentQuantile(0.05, n - 1) * error;
        result.p = std::min(1.0, p * static_cast<double>(tests));
    }
    return result;
}

} // namespace sparserl
