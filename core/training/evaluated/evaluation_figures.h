// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/evaluated/evaluation_tables.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Figures of evaluations for charts, computed only from the rows, so they also work for a running evaluation.

namespace sparserl {

/// An evaluation with the metrics of its rows: pass@k for 1, 5, 10, 100, 1000 and the smallest sample count
/// of a row, up to that count; rates over all samples.
EvaluationResult resultOf(std::string label, std::string baseline, std::vector<EvaluationEvent> rows);

/// pass@1, pass@2, ... (Chen et al. 2021), each averaged over the rows, up to the smallest sample count of a
/// row. `fasterOnly`: correct programs that are not faster than the baseline do not pass.
std::vector<double> passCurve(std::span<const EvaluationEvent> rows, bool fasterOnly);

/// Rates over all samples for the matrices of one split, from 0 to 1.
struct SplitRates
{
    std::string split;
    std::int64_t matrices = 0, solved = 0, samples = 0;
    double compiled = 0, correct = 0, faster = 0;
};
/// Held-out first, then train, then others by name. Splits without rows are left out.
std::vector<SplitRates> ratesBySplit(std::span<const EvaluationEvent> rows);

/// The five numbers of a box plot (quartiles by linear interpolation) and the mean; all 0 without values.
struct BoxFigures
{
    std::int64_t count = 0;
    double low = 0, lowerQuartile = 0, median = 0, upperQuartile = 0, high = 0, mean = 0;
};
BoxFigures boxOf(const std::vector<double>& values);

/// GFLOPS of the best program of every solved matrix in one bin of non-zeros (the paper's Figure 3).
struct SizeBoxes
{
    std::string bin;
    BoxFigures baseline; ///< Baselines of all matrices in the bin, each counted once.
    struct OfPolicy
    {
        std::int64_t matrices = 0;
        BoxFigures box; ///< `count`: solved matrices.
    };
    std::vector<OfPolicy> policies; ///< In the order of the results.
};
/// Bins in ascending order, without bins that are empty in all results.
std::vector<SizeBoxes> gflopsBySize(std::span<const EvaluationResult> results);
/// The same numbers: one line per bin and policy, and one per bin for the baseline.
TextTable boxTable(std::span<const EvaluationResult> results);

/// The difference between two policies in one measure, paired by matrix.
struct PairedFigure
{
    enum class Kind
    {
        Share, ///< `difference` is a difference of shares, from -1 to 1.
        Ratio  ///< `difference` is a quotient; 1: no difference.
    };
    std::string measure;
    Kind kind = Kind::Share;
    std::int64_t matrices = 0;    ///< Matrices that both have; for a Ratio, that both solved.
    double policy = 0, other = 0; ///< Means over these matrices; geometric for a Ratio.
    double difference = 0;
    /// 95 % percentile bootstrap over the matrices; nullopt for fewer than two.
    std::optional<std::array<double, 2>> interval;

    /// +1: better, the interval excludes "no difference"; -1: worse; 0: inconclusive.
    int direction() const;
};
/// Shares of compiled, correct and faster programs, pass@k for each common k, and speed-up of the best
/// programs over the baseline. Rows belong to the same target if key and split agree.
std::vector<PairedFigure> comparePolicies(const EvaluationResult& policy, const EvaluationResult& other);
/// One line per policy and measure. `other` is not compared with itself.
TextTable comparisonTable(std::span<const EvaluationResult> results, std::size_t other);

} // namespace sparserl
