// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/statistics.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// Statistics that show whether a policy reads its matrix. They are 0 (or at the chance level) for a policy
/// that ignores the matrix, however many families it writes. Logarithms are natural, so the unit is the nat.

/// The family of one sampled program. Matrices are numbered 0, 1, ...
struct FamilyChoice
{
    int matrix = 0;
    std::string family;
};

/// The entropy H(F) of the families F, the conditional entropy H(F | M) given the matrix M, and the
/// information I(F; M) = H(F) - H(F | M), from a table of counts. Each matrix is weighted by its number of
/// samples. Few samples make the information too high: `permuted` is its mean after random permutations of
/// the families among the samples, which is its value under independence. The difference is unbiased if M and
/// F are independent, and too low otherwise.
struct FamilyInformation
{
    double entropy = 0, conditionalEntropy = 0;
    double information = 0; ///< Plug-in estimate.
    double permuted = 0;

    double corrected() const { return information - permuted; }
};
FamilyInformation familyInformation(std::span<const FamilyChoice> choices, int permutations,
                                    std::uint64_t seed);
/// Returns corrected() with a percentile bootstrap interval; the bootstrap draws matrices with replacement.
/// Two draws of the same matrix are indistinguishable, which lowers the information, so the interval is
/// biased downwards.
Interval familyInformationInterval(std::span<const FamilyChoice> choices, double level, int draws,
                                   std::uint64_t seed);

/// How often samples use the best family for their matrix.
struct BestFamilyShares
{
    double share = 0;  ///< Share of a matrix's samples in its best family, averaged over matrices.
    double chance = 0; ///< The same if each matrix had the samples of all matrices.
    double hit = 0;    ///< Fraction of matrices with at least one sample in their best family.
    int matrices = 0;  ///< Matrices with a known best family and at least one sample.
};
/// `best` holds the best family of each matrix. Matrices whose family is empty are left out.
BestFamilyShares bestFamilyShares(std::span<const FamilyChoice> choices, std::span<const std::string> best);

/// ln p(program | matrix) of sampled programs under every matrix, at the temperature of the sampling.
struct ProgramScores
{
    std::vector<std::vector<double>> scores; ///< [program][matrix]
    std::vector<int> own;                    ///< The matrix of each program.
};

/// Statistics of the scores of one program.
struct ProgramReading
{
    /// ln p(program | own) - ln(mean over all matrices of p(program | matrix)). Averaged over sampled
    /// programs, this is an unbiased estimate of I(program; matrix) for equally likely matrices. The estimate
    /// is at most ln(matrices), and 0 if the policy ignores the matrix.
    double information = 0;
    /// Share of the other matrices under which the program is less likely than under its own matrix. A tie
    /// counts one half. Chance is 0.5.
    double rank = 0;
    /// Reciprocal rank of the program's own matrix, averaged over all orders of tied matrices. Chance is
    /// reciprocalRankByChance().
    double reciprocalRank = 0;
};
std::vector<ProgramReading> readingsOf(const ProgramScores& scores);
/// Returns (1 + 1/2 + ... + 1/matrices) / matrices.
double reciprocalRankByChance(int matrices);

/// Averages the values of each matrix, then these means. The interval is a percentile bootstrap over the
/// matrices.
Interval intervalByMatrix(std::span<const double> values, std::span<const int> matrices, double level,
                          int draws, std::uint64_t seed);

/// Returns the mean information and ranks of the programs with intervals, under their names in metrics.def.
Metrics readingMetrics(const ProgramScores& scores, std::uint64_t seed);

} // namespace sparserl
