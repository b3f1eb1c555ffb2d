// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// Two-sided tail probability of Student's t.
double studentTail(double t, double degrees);
/// The t that is exceeded with this two-sided probability, in (0, 1).
double studentQuantile(double probability, double degrees);

/// A word that a call has observed, and whether it belongs to the first group.
struct Observed
{
    bool first = false;
    std::uint32_t word = 0;
};

/// Features of a word that groups are compared by: each of its bits, and whether it is zero.
constexpr std::size_t observedFeatures = 33;

/// How far what two groups observe lies apart.
struct GroupDifference
{
    std::string feature;                ///< Of the largest difference: "bit 7", "zero"; empty: none varies.
    double distance = 0;                ///< Share in the first group less that in the second, mean over runs.
    double halfWidth = 0;               ///< Of its 95 % interval.
    double p = 1;                       ///< Of no difference in any feature, corrected for their number.
    double smallest = 0;                ///< What would be found at `level` with a probability of 0.8.
    std::int64_t first = 0, second = 0; ///< Observations.
};

/// Compares groups over independent runs: words of one run (addresses, say) are not independent of each
/// other, so each run gives one difference of shares for each feature, and a t-test over the runs is made of
/// these. `tests`: how many tests are made in all, observables times features, for Bonferroni's correction.
/// `level`: at which a corrected p counts.
GroupDifference compareGroups(std::span<const std::vector<Observed>> runs, std::size_t tests, double level);

} // namespace sparserl
