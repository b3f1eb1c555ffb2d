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

/// A word that a call has observed, whether the call belongs to the first group, and its sample: calls of one
/// sample follow each other.
struct Observed
{
    bool first = false;
    std::uint32_t word = 0;
    int sample = 0;
};

/// Features of a word that groups are compared by: each of its bits, and whether it is zero.
constexpr std::size_t observedFeatures = 33;

/// How far what two groups observe lies apart.
struct GroupDifference
{
    std::string feature;  ///< Of the largest difference: "bit 7", "zero", "all"; empty: none varies.
    double distance = 0;  ///< Share in the first group less that in the second, mean over runs.
    double halfWidth = 0; ///< Of its 95 % interval.
    double excess =
        0;        ///< Squared differences over all features, in standard deviations of shuffled groups; mean.
    double p = 1; ///< Of no difference at all, corrected for the number of tests.
    double smallest =
        0; ///< What would be found at `level` with a probability of 0.8, in the feature that varies most.
    std::int64_t first = 0, second = 0; ///< Observations.
};

/// Compares groups over independent runs: words of one run (addresses, say) are not independent of each
/// other, so each run gives one difference of shares for each feature, and a t-test over the runs is made of
/// these.
///
/// No p of n runs is below 2^(1 - n), that of n signs that are alike by chance: fewestRuns.
///
/// Differences that have another sign in each run (signs that are fixed in one group and change in the other)
/// do not show in their mean. So each run also gives the sum of its squared differences, against what it is
/// when groups are dealt to other samples of the run, at another position (`shuffles` times); an excess over
/// the runs counts.
///
/// `observables`: how many are tested, for Bonferroni's correction. `level`: at which a corrected p counts.
GroupDifference compareGroups(std::span<const std::vector<Observed>> runs, std::size_t observables,
                              double level, std::uint64_t seed = 1);

/// So many runs at least, that a difference of the same sign in all of them can be significant at `level`
/// among so many observables. Of fewer runs, nothing ever is.
int fewestRuns(std::size_t observables, double level);

} // namespace sparserl
