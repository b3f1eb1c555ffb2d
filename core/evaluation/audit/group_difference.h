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
/// The t exceeded with this two-sided probability, in (0, 1).
double studentQuantile(double probability, double degrees);

/// A word observed by a call, the call's group and its sample. Calls of one sample are consecutive.
struct Observed
{
    bool first = false;
    std::uint32_t word = 0;
    int sample = 0;
};

/// The number of compared features of a word: each bit, and whether the word is zero.
constexpr std::size_t observedFeatures = 33;

/// The difference between the observations of two groups.
struct GroupDifference
{
    std::string feature;  ///< Feature of the largest difference: "bit 7", "zero", "all"; empty if none
                          ///< varies.
    double distance = 0;  ///< Share in the first group minus share in the second, mean over runs.
    double halfWidth = 0; ///< Half the width of the 95 % confidence interval.
    double excess =
        0;        ///< Squared differences over all features, in standard deviations of shuffled groups; mean.
    double p = 1; ///< Probability of this difference by chance, corrected for the number of tests.
    double smallest = 0; ///< The difference that would be detected at `level` with a probability of 0.8 in
                         ///< the feature that varies most.
    std::int64_t first = 0, second = 0; ///< Number of observations.
};

/// Compares groups over independent runs. Words of one run, such as addresses, are not independent, so each
/// run yields one difference of shares per feature. A t-test over the runs uses these differences.
///
/// With n runs, no p is below 2^(1 - n), the probability that n signs agree by chance; see fewestRuns.
///
/// Differences with changing signs (fixed in one group, varying in the other) cancel in the mean. Each run
/// therefore also yields the sum of its squared differences. The sum is compared with its distribution when
/// each sample of the run gets the cyclically shifted groups of another sample (`shuffles` times). A
/// significant excess over all runs counts as a difference.
///
/// `observables`: number of tests for the Bonferroni correction. `level`: threshold of a corrected p.
GroupDifference compareGroups(std::span<const std::vector<Observed>> runs, std::size_t observables,
                              double level, std::uint64_t seed = 1);

/// The minimum number of runs for a significant difference: with this many, equal signs in all runs are
/// significant at `level` among so many observables.
int fewestRuns(std::size_t observables, double level);

} // namespace sparserl
