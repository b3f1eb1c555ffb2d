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

/// A table of texts, to be written in one of the formats that papers and spreadsheets take.
struct TextTable
{
    std::string title;
    std::vector<std::string> header;
    std::vector<std::vector<std::string>> rows;
};
std::string toCsv(const TextTable& table);      ///< RFC 4180, without the title.
std::string toMarkdown(const TextTable& table); ///< The title is a line above it.
std::string
toLatex(const TextTable& table); ///< A `table` with a `tabular` (booktabs); the title is its caption.

/// An evaluation of one policy: the rows of one split and the metrics of its end.
struct EvaluationResult
{
    std::string label; ///< Of the policy.
    std::string baseline;
    std::vector<EvaluationEvent> rows;
    Metrics metrics;
    std::vector<std::int64_t> ks;
};

/// What people call the targets of rows: the matrix's name, with its columns where others have another width.
std::vector<std::string> targetNames(std::span<const EvaluationEvent> rows);

/// An evaluation in a few numbers; shares from 0 to 1.
struct PolicyFigures
{
    std::map<std::int64_t, double> pass; ///< pass@k by k.
    double compiled = 0, correct = 0, faster = 0;
    /// Of the best programs of the matrices that have a correct one: mean GFLOPS, geometric mean and worst of
    /// the speed-ups over the baseline; 0 where there is none.
    double gflops = 0, speedup = 0, worst = 0;
};
PolicyFigures figuresOf(const EvaluationResult& result);

/// One line for each policy, with the columns of SparseRL's Tables 1 to 3: pass@k, compilation rate, GFLOPS
/// and speed-up over the baseline, and beside them what those leave out: correct rate, faster, worst.
TextTable policyTable(std::span<const EvaluationResult> results);
/// Matrices with at least `from` and fewer than `to` non-zeros.
struct SizeBin
{
    std::int64_t from, to;
    const char* name;
};
/// From small to large; every matrix is in one.
std::span<const SizeBin> sizeBins();
/// GFLOPS and speed-ups of the best programs by non-zeros; a line for each policy and bin.
TextTable sizeTable(std::span<const EvaluationResult> results);
/// A line for each policy and matrix.
TextTable matrixTable(std::span<const EvaluationResult> results);

/// All tables into a file: .md, .tex, or .csv, which holds the matrices only. Policies are compared with the
/// first.
Status writeTables(std::span<const EvaluationResult> results, const std::filesystem::path& file);

/// Whether writeTables knows the ending of the name: before hours of work for it.
Status checkTableName(const std::filesystem::path& file);

/// Behind the label of results of matrices that the policy was trained on.
constexpr const char* trainedOnMark = " (trained on)";

/// What a run of the stage evaluate has in its journal of the matrices of one split; the label is the run's
/// name, with trainedOnMark where they are those that the policy was trained on.
Result<EvaluationResult> readEvaluationResult(const std::filesystem::path& runDirectory,
                                              std::string_view splitName = split::heldOut);
/// Of both splits, of those that it has matrices of.
Result<std::vector<EvaluationResult>> readEvaluationResults(const std::filesystem::path& runDirectory);

} // namespace sparserl
