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

/// A table of texts that can be written in the formats of papers and spreadsheets.
struct TextTable
{
    std::string title;
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> rows;
};
std::string toCsv(const TextTable& table);      ///< RFC 4180, without the title.
std::string toMarkdown(const TextTable& table); ///< The title is a line above the table.
std::string
toLatex(const TextTable& table); ///< A `table` with a `tabular` (booktabs); the title is its caption.

/// An evaluation of one policy: the rows of one split and the final metrics.
struct EvaluationResult
{
    std::string label; ///< Name of the policy.
    std::string baseline;
    std::vector<EvaluationEvent> rows;
    Metrics metrics;
    std::vector<std::int64_t> ks;
};

/// Display names of the rows' targets: the matrix's name, with its columns if widths differ.
std::vector<std::string> targetNames(std::span<const EvaluationEvent> rows);

/// Summary of an evaluation; shares from 0 to 1.
struct PolicyFigures
{
    std::map<std::int64_t, double> pass; ///< pass@k by k.
    double compiled = 0, correct = 0, faster = 0;
    /// Over the best programs of solved matrices: mean GFLOPS, geometric mean and minimum of the speed-ups
    /// over the baseline; 0 if there are none.
    double gflops = 0, speedup = 0, worst = 0;
};
PolicyFigures figuresOf(const EvaluationResult& result);

/// One line per policy, with the columns of SparseRL's Tables 1 to 3 (pass@k, compilation rate, GFLOPS,
/// speed-up over the baseline), and additionally correct rate, faster, worst.
TextTable policyTable(std::span<const EvaluationResult> results);
/// Matrices with at least `from` and fewer than `to` non-zeros.
struct SizeBin
{
    std::int64_t from, to;
    const char* name;
};
/// In ascending order; every matrix belongs to one bin.
std::span<const SizeBin> sizeBins();
/// GFLOPS and speed-ups of the best programs by non-zeros; one line per policy and bin.
TextTable sizeTable(std::span<const EvaluationResult> results);
/// One line per policy and matrix.
TextTable matrixTable(std::span<const EvaluationResult> results);

/// Writes all tables to a file: .md, .tex, or .csv, which contains only the matrices. Policies are compared
/// with the first.
Status writeTables(std::span<const EvaluationResult> results, const std::filesystem::path& file);

/// Whether writeTables knows the ending of the name. For callers that check before hours of work.
Status checkTableName(const std::filesystem::path& file);

/// Ends the label of results of matrices that the policy was trained on.
constexpr const char* trainedOnMark = " (trained on)";

/// The results in the journal of a run of stage evaluate for the matrices of one split. The label is the
/// run's name, with trainedOnMark for matrices that the policy was trained on.
Result<EvaluationResult> readEvaluationResult(const std::filesystem::path& runDirectory,
                                              std::string_view splitName = split::heldOut);
/// The results of both splits, as far as the run has matrices in them.
Result<std::vector<EvaluationResult>> readEvaluationResults(const std::filesystem::path& runDirectory);

} // namespace sparserl
