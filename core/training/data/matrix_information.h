// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/statistics.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// Measures whether a policy reads its matrix. The numbers are 0 (or at chance) for a policy that ignores the
/// matrix, however many families it writes. All logarithms are natural; units are nats.

/// The family of one sampled program. Matrices are numbered 0, 1, ...
struct FamilyChoice
{
    int matrix = 0;
    std::string family;
};

/// H(F), H(F | M) and I(F; M) = H(F) - H(F | M) of a table of counts; each matrix is weighted by its number
/// of samples. A table with few samples always appears dependent. `permuted` is the mean information after
/// random permutations of the families between samples, which is the value under independence. Subtracting it
/// is unbiased if matrix and family are independent, and too low otherwise.
struct FamilyInformation
{
    double entropy = 0, conditionalEntropy = 0;
    double information = 0; ///< Plug-in estimate.
    double permuted = 0;

    double corrected() const { return information - permuted; }
};
FamilyInformation familyInformation(std::span<const FamilyChoice> choices, int permutations,
                                    std::uint64_t seed);
/// corrected() with its percentile bootstrap interval over matrices drawn with replacement. Two draws of the
/// same matrix are indistinguishable, which lowers the information: the interval is biased downwards.
Interval familyInformationInterval(std::span<const FamilyChoice> choices, double level, int draws,
                                   std::uint64_t seed);

/// How often samples use the best family for their matrix.
struct BestFamilyShares
{
    double share = 0;  ///< Share of a matrix's samples, averaged over matrices.
    double chance = 0; ///< The same if every matrix received the samples of all.
    double hit = 0;    ///< Fraction of matrices with at least one such sample.
    int matrices = 0;  ///< Matrices with a known best family and at least one sample.
};
/// `best` by matrix. Matrices with an empty entry are left out.
BestFamilyShares bestFamilyShares(std::span<const FamilyChoice> choices, std::span<const std::string> best);

/// ln p(program | matrix) of sampled programs under all matrices, at their sampling temperature.
struct ProgramScores
{
    std::vector<std::vector<double>> scores; ///< [program][matrix]
    std::vector<int> own;                    ///< The matrix of each program.
};

/// Statistics of the scores of one program.
struct ProgramReading
{
    /// ln p(program | own) - ln mean over matrices of p(program | matrix). Its mean over sampled programs is
    /// an unbiased estimate of I(program; matrix) for equally likely matrices: at most ln(matrices), and 0 if
    /// the matrix is ignored.
    double information = 0;
    /// Share of the other matrices under which the program is less likely than under its own; ties count one
    /// half. Chance is 0.5.
    double rank = 0;
    /// Reciprocal rank of the own matrix, averaged over the orders of ties. Chance is reciprocalRankByChance.
    double reciprocalRank = 0;
};
std::vector<ProgramReading> readingsOf(const ProgramScores& scores);
/// (1 + 1/2 + ... + 1/matrices) / matrices.
double reciprocalRankByChance(int matrices);

/// The mean over matrices of each matrix's mean value, with the percentile bootstrap interval over matrices.
Interval intervalByMatrix(std::span<const double> values, std::span<const int> matrices, double level,
                          int draws, std::uint64_t seed);

/// Information and ranks of scored programs with intervals, under their names in project/run/metrics.def.
Metrics readingMetrics(const ProgramScores& scores, std::uint64_t seed);

} // namespace sparserl
