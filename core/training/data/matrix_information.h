// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/statistics.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// Does a policy read its matrix? Numbers that are 0 (or at chance) for one that writes the same whatever it
/// is shown, however many families it writes. All logarithms are natural: nats.

/// The family of one sampled program; matrices are numbered 0, 1, ...
struct FamilyChoice
{
    int matrix = 0;
    std::string family;
};

/// H(F), H(F | M) and I(F; M) = H(F) - H(F | M) of a table of counts, a matrix weighing as much as it has
/// samples. Few samples make any table look dependent: `permuted` is the mean information of the same table
/// with families exchanged at random between samples, what independence would show. Subtracting it is exact
/// in the mean where matrix and family are independent and errs on the low side where they are not.
struct FamilyInformation
{
    double entropy = 0, conditionalEntropy = 0;
    double information = 0; ///< Plug-in estimate.
    double permuted = 0;

    double corrected() const { return information - permuted; }
};
FamilyInformation familyInformation(std::span<const FamilyChoice> choices, int permutations,
                                    std::uint64_t seed);
/// corrected() with its percentile bootstrap interval, matrices drawn with replacement. A matrix drawn twice
/// is one that cannot be told from another, which lowers the information: the interval errs on the low side.
Interval familyInformationInterval(std::span<const FamilyChoice> choices, double level, int draws,
                                   std::uint64_t seed);

/// How often the family is taken that is best for the matrix.
struct BestFamilyShares
{
    double share = 0;  ///< Of a matrix's samples, mean over matrices.
    double chance = 0; ///< The same if every matrix got the samples of all.
    double hit = 0;    ///< Matrices with at least one such sample.
    int matrices = 0;  ///< That have both a known best family and a sample.
};
/// `best` by matrix; empty where nothing is known, which leaves the matrix out.
BestFamilyShares bestFamilyShares(std::span<const FamilyChoice> choices, std::span<const std::string> best);

/// ln p(program | matrix) of sampled programs under all matrices, at the temperature that they were sampled
/// at.
struct ProgramScores
{
    std::vector<std::vector<double>> scores; ///< [program][matrix]
    std::vector<int> own;                    ///< The matrix that the program was written for.
};

/// What the scores of one program say.
struct ProgramReading
{
    /// ln p(program | own) - ln mean over matrices of p(program | matrix). Its mean over sampled programs is
    /// an unbiased estimate of I(program; matrix) where all matrices are equally likely: at most
    /// ln(matrices), and 0 where the matrix is ignored.
    double information = 0;
    /// Share of the other matrices that make the program less likely than its own; ties count one half.
    /// Chance is 0.5.
    double rank = 0;
    /// Mean over the orders of ties of 1 / place of the own matrix. Chance is reciprocalRankByChance.
    double reciprocalRank = 0;
};
std::vector<ProgramReading> readingsOf(const ProgramScores& scores);
/// (1 + 1/2 + ... + 1/matrices) / matrices.
double reciprocalRankByChance(int matrices);

/// Mean over matrices of each one's mean value, with the percentile bootstrap interval over matrices.
Interval intervalByMatrix(std::span<const double> values, std::span<const int> matrices, double level,
                          int draws, std::uint64_t seed);

/// Information and ranks of scored programs, with intervals, under their names in project/run/metrics.def.
Metrics readingMetrics(const ProgramScores& scores, std::uint64_t seed);

} // namespace sparserl
