// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "training/work/statistics.h"
#include "verdict/event.h"
#include "verdict/names.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A table of strings. It can be written in the formats of papers and spreadsheets.
struct TextTable
{
    std::string title;
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> rows;
};
std::string toCsv(const TextTable& table);      ///< Returns CSV (RFC 4180) without the title.
std::string toMarkdown(const TextTable& table); ///< The title is on a line above the table.
std::string
toLatex(const TextTable& table); ///< Returns a `table` with a `tabular` (booktabs); the title is its caption.

/// The evaluation of one policy on the matrices of one split.
struct EvaluationResult
{
    std::string label; ///< Name of the policy.
    std::string baseline;
    std::vector<EvaluationEvent> rows;
    Metrics metrics;
    std::vector<std::int64_t> ks;
};

/// Returns a name for each row: the name of its matrix, with the columns of B if the rows differ in them.
std::vector<std::string> targetNames(std::span<const EvaluationEvent> rows);

/// The summary of an evaluation. Shares range from 0 to 1.
struct PolicyFigures
{
    std::map<std::int64_t, double> pass; ///< pass@k by k.
    double compiled = 0, correct = 0, faster = 0;
    /// For the best programs of solved matrices: mean GFLOPS, and the geometric mean and the minimum of the
    /// speed-ups over the baseline. 0 if no matrix is solved.
    double gflops = 0, speedup = 0, worst = 0;
};
PolicyFigures figuresOf(const EvaluationResult& result);

/// Returns a table with one line per policy and the columns of SparseRL's Tables 1 to 3 (pass@k, compilation
/// rate, GFLOPS, speed-up over the baseline), followed by the columns correct rate, faster and worst.
TextTable policyTable(std::span<const EvaluationResult> results);
/// The range of matrices with at least `from` and fewer than `to` non-zeros.
struct SizeBin
{
    std::int64_t from, to;
    const char* name;
};
/// Returns the bins in ascending order. Every matrix belongs to exactly one bin.
std::span<const SizeBin> sizeBins();
/// Returns GFLOPS and speed-ups of the best programs by size, with one line per policy and bin.
TextTable sizeTable(std::span<const EvaluationResult> results);
/// Returns a table with one line per policy and matrix.
TextTable matrixTable(std::span<const EvaluationResult> results);

/// Writes all tables to a .md or .tex file, or only the table of matrices to a .csv file. Compares the other
/// policies with the first one.
Status writeTables(std::span<const EvaluationResult> results, const std::filesystem::path& file);

/// Fails if writeTables() does not know the extension. Lets callers check it before hours of work.
Status checkTableName(const std::filesystem::path& file);

/// End of the label of results for matrices that the policy was trained on.
constexpr const char* trainedOnMark = " (trained on)";

/// Reads the results for the matrices of one split from the journal of an evaluation run. The label is the
/// name of the run; if the policy was trained on the matrices, trainedOnMark follows.
Result<EvaluationResult> readEvaluationResult(const std::filesystem::path& runDirectory,
                                              std::string_view splitName = split::heldOut);
/// Reads the results for both splits. A split without matrices in the run is left out.
Result<std::vector<EvaluationResult>> readEvaluationResults(const std::filesystem::path& runDirectory);

} // namespace sparserl
