// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/evaluated/evaluation_tables.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Numbers of evaluations as charts show them, from the rows alone: an evaluation that still runs has them
// too.

namespace sparserl {

/// An evaluation with the metrics that its rows give: pass@k for 1, 5, 10, 100, 1000 and the fewest samples
/// of a row, as far as there are so many; rates of all samples.
EvaluationResult resultOf(std::string label, std::string baseline, std::vector<EvaluationEvent> rows);

/// pass@1, pass@2, ... (Chen et al. 2021), each the mean over the rows, up to the fewest samples of a row.
/// `fasterOnly`: what is correct and not faster than the baseline does not pass.
std::vector<double> passCurve(std::span<const EvaluationEvent> rows, bool fasterOnly);

/// Of all samples for the matrices of one split; shares from 0 to 1.
struct SplitRates
{
    std::string split;
    std::int64_t matrices = 0, solved = 0, samples = 0;
    double compiled = 0, correct = 0, faster = 0;
};
/// Held-out first, then train, then others by name; only splits that have rows.
std::vector<SplitRates> ratesBySplit(std::span<const EvaluationEvent> rows);

/// Five numbers of a box plot (quartiles by linear interpolation) and their mean; all 0 without values.
struct BoxFigures
{
    std::int64_t count = 0;
    double low = 0, lowerQuartile = 0, median = 0, upperQuartile = 0, high = 0, mean = 0;
};
BoxFigures boxOf(const std::vector<double>& values);

/// GFLOPS of the best program of every solved matrix of one bin of non-zeros (the paper's Figure 3).
struct SizeBoxes
{
    std::string bin;
    BoxFigures baseline; ///< Of every matrix of the bin with a baseline, each counted once.
    struct OfPolicy
    {
        std::int64_t matrices = 0;
        BoxFigures box; ///< `count`: solved matrices.
    };
    std::vector<OfPolicy> policies; ///< In the order of the results.
};
/// Bins from small to large, those that no result has a matrix in left out.
std::vector<SizeBoxes> gflopsBySize(std::span<const EvaluationResult> results);
/// The same numbers: a line for each bin and policy, and for each bin and the baseline.
TextTable boxTable(std::span<const EvaluationResult> results);

/// What two policies differ by in one measure, matrix by matrix.
struct PairedFigure
{
    enum class Kind
    {
        Share, ///< `difference` is one of shares, from -1 to 1.
        Ratio  ///< `difference` is a quotient; 1: no difference.
    };
    std::string measure;
    Kind kind = Kind::Share;
    std::int64_t matrices = 0;    ///< That both have, and for a Ratio both have solved.
    double policy = 0, other = 0; ///< Means over these matrices, of a Ratio geometric ones.
    double difference = 0;
    /// Percentile bootstrap over the matrices at 95 %; nothing for fewer than two.
    std::optional<std::array<double, 2>> interval;

    /// +1: better, the interval has no part of "no difference"; -1: worse; 0: not shown.
    int direction() const;
};
/// Compiled, correct and faster shares, pass@k for the k that both have, and speed-up of the best programs
/// over the baseline. Rows are of one target where its key and the split agree.
std::vector<PairedFigure> comparePolicies(const EvaluationResult& policy, const EvaluationResult& other);
/// A line for each policy and measure; `other` is not compared with itself.
TextTable comparisonTable(std::span<const EvaluationResult> results, std::size_t other);

} // namespace sparserl
