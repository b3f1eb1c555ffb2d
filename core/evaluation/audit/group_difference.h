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

/// Returns the two-sided tail probability of Student's t distribution.
double studentTail(double t, double degrees);
/// Returns the t that |t| exceeds with this probability, which must be in (0, 1).
double studentQuantile(double probability, double degrees);

/// The word that a call observed, with the call's group and sample. Calls of one sample must be consecutive.
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
    /// Feature with the largest difference: "bit 7", "zero", "all"; empty if none varies.
    std::string feature;
    double distance = 0;  ///< Share in the first group minus share in the second; mean over runs.
    double halfWidth = 0; ///< Half the width of the 95 % confidence interval.
    double excess = 0;    ///< How far the sum of squared differences exceeds that of shuffled groups, in
                          ///< standard deviations; mean over runs.
    double p = 1; ///< Probability that chance causes this difference, corrected for the number of tests.
    double smallest = 0; ///< The difference that is detected at `level` with probability 0.8, for the feature
                         ///< that varies most.
    std::int64_t first = 0, second = 0; ///< Number of observations in each group.
};

/// Compares the two groups over independent runs. Words of one run, such as addresses, are not independent.
/// Each run therefore yields one difference of shares per feature, and these differences enter a t-test over
/// the runs.
///
/// With n runs, no p is below 2^(1 - n), the probability that n signs agree by chance; see fewestRuns().
///
/// Differences with changing signs (fixed in one group, varying in the other) cancel in the mean. Each run
/// therefore also yields the sum of its squared differences. The sum is compared with its distribution for 64
/// shuffles, in which each sample of the run gets the cyclically shifted groups of another sample. A
/// significant excess over all runs counts as a difference.
///
/// `observables` is the number of observables that are tested, for the Bonferroni correction. `level` is the
/// threshold for a corrected p.
GroupDifference compareGroups(std::span<const std::vector<Observed>> runs, std::size_t observables,
                              double level, std::uint64_t seed = 1);

/// Returns the minimum number of runs for a significant difference: from this number on, equal signs in all
/// runs are significant at `level` if so many observables are tested.
int fewestRuns(std::size_t observables, double level);

} // namespace sparserl
