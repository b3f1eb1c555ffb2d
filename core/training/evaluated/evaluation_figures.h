// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/evaluated/evaluation_tables.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Figures for the charts of evaluations. Only the rows are needed, so a running evaluation has figures, too.

namespace sparserl {

/// Returns an evaluation with metrics computed from its rows: the rates over all samples, and pass@k for 1,
/// 5, 10, 100, 1000 (as far as every row has k samples) and for the smallest number of samples in a row.
EvaluationResult resultOf(std::string label, std::string baseline, std::vector<EvaluationEvent> rows);

/// Returns pass@1, pass@2, ... (Chen et al. 2021) up to the smallest number of samples in a row, each
/// averaged over the rows. With `fasterOnly`, correct programs that are not faster than the baseline do not
/// pass.
std::vector<double> passCurve(std::span<const EvaluationEvent> rows, bool fasterOnly);

/// Rates over all samples for the matrices of one split, from 0 to 1. A solved matrix has a correct sample.
struct SplitRates
{
    std::string split;
    std::int64_t matrices = 0, solved = 0, samples = 0;
    double compiled = 0, correct = 0, faster = 0;
};
/// Returns the rates of each split that has rows: held-out first, then train, then the others by name.
std::vector<SplitRates> ratesBySplit(std::span<const EvaluationEvent> rows);

/// The five numbers of a box plot (quartiles by linear interpolation) and the mean; all 0 if there are no
/// values.
struct BoxFigures
{
    std::int64_t count = 0;
    double low = 0, lowerQuartile = 0, median = 0, upperQuartile = 0, high = 0, mean = 0;
};
BoxFigures boxOf(const std::vector<double>& values);

/// GFLOPS of the best programs for the solved matrices in one bin of non-zeros (the paper's Figure 3).
struct SizeBoxes
{
    std::string bin;
    BoxFigures baseline; ///< GFLOPS of the baseline for the matrices in the bin, each counted once.
    struct OfPolicy
    {
        std::int64_t matrices = 0;
        BoxFigures box; ///< `count` is the number of solved matrices.
    };
    std::vector<OfPolicy> policies; ///< In the order of `results`.
};
/// Returns the bins in ascending order, without bins that are empty in all results.
std::vector<SizeBoxes> gflopsBySize(std::span<const EvaluationResult> results);
/// Returns the same numbers as a table, with one line per bin for each policy and one for the baseline.
TextTable boxTable(std::span<const EvaluationResult> results);

/// The difference between two policies in one measure. The policies are compared matrix by matrix.
struct PairedFigure
{
    enum class Kind
    {
        Share, ///< `difference` is a difference of shares, from -1 to 1.
        Ratio  ///< `difference` is a quotient; 1 means no difference.
    };
    std::string measure;
    Kind kind = Kind::Share;
    std::int64_t matrices = 0;    ///< Matrices in both evaluations; for a Ratio, those that both solved.
    double policy = 0, other = 0; ///< Means over these matrices; geometric means for a Ratio.
    double difference = 0;
    /// 95 % percentile bootstrap interval over the matrices; nullopt for fewer than two matrices.
    std::optional<std::array<double, 2>> interval;

    /// Returns 1 if the policy is better, -1 if it is worse, and 0 if the interval allows both or is missing.
    int direction() const;
};
/// Compares the shares of compiled, correct and faster programs, pass@k for each k that both have, and the
/// speed-ups of the best programs over the baseline. Two rows belong together if target key and split agree.
std::vector<PairedFigure> comparePolicies(const EvaluationResult& policy, const EvaluationResult& other);
/// Returns a table with one line per policy and measure. Policies are compared with result number `other`.
TextTable comparisonTable(std::span<const EvaluationResult> results, std::size_t other);

} // namespace sparserl
