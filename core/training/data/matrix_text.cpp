// SPDX-License-Identifier: Apache-2.0
#include "training/data/matrix_text.h"

#include "base/rng.h"
#include "matrix/features.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

namespace sparserl {

namespace {

std::string featureLines(const Csr& matrix)
{
    const MatrixFeatures features = computeFeatures(matrix);
    std::string text = fmt::format("- Structure: {}\n", structureOf(features));
    for (const FeatureSpec& spec : featureSpecs()) {
        if (spec.key == "dense_cols" || !spec.known(features))
            continue; // a number of the task; or nobody knows it
        const double value = spec.value(features);
        text += fmt::format(
            "- {}: {}{}{}\n", spec.name,
            spec.integer ? fmt::format("{}", static_cast<std::int64_t>(value)) : fmt::format("{:.4g}", value),
            spec.unit.empty() || spec.unit == "share" ? "" : " ", spec.unit == "share" ? "" : spec.unit);
    }
    return text;
}

/// Quantiles that are lengths of rows, never numbers between two of them.
std::string lengthLine(const Csr& matrix)
{
    std::vector<std::int32_t> lengths;
    lengths.reserve(static_cast<std::size_t>(matrix.rows));
    for (std::int32_t row = 0; row < matrix.rows; ++row)
        lengths.push_back(matrix.rowLength(row));
    std::sort(lengths.begin(), lengths.end());
    std::string text = "- Row lengths at 0, 10, 25, 50, 75, 90, 99, 100 % of the rows:";
    for (const int percent : {0, 10, 25, 50, 75, 90, 99, 100}) {
        const std::size_t last = lengths.empty() ? 0 : lengths.size() - 1;
        text += fmt::format("{} {}", percent == 0 ? "" : ",",
                            lengths.empty() ? 0 : lengths[last * static_cast<std::size_t>(percent) / 100]);
    }
    return text + "\n";
}

/// Positions of entries in ascending order, each of [0, count) equally likely (Floyd's method needs a set;
/// selection sampling, Knuth 3.4.2 S, needs none and keeps the order).
std::vector<std::size_t> drawn(std::size_t count, std::size_t wanted, std::uint64_t seed)
{
    Rng rng(seed);
    std::vector<std::size_t> chosen;
    for (std::size_t at = 0; at < count && chosen.size() < wanted; ++at)
        if (rng.below(count - at) < wanted - chosen.size())
            chosen.push_back(at);
    return chosen;
}

} // namespace

std::string matrixText(const Csr& matrix, std::size_t entries, std::uint64_t seed)
{
    std::string text = "The matrix A:\n" + featureLines(matrix) + lengthLine(matrix);
    const std::size_t nnz = matrix.col.size(), wanted = std::min(nnz, entries);
    if (wanted == 0)
        return text;
    text += wanted == nnz ? std::string("- All entries as (row, column):")
                          : fmt::format("- {} of the entries, drawn at random, as (row, column):", wanted);
    std::size_t row = 0;
    for (const std::size_t at : drawn(nnz, wanted, seed)) {
        while (static_cast<std::size_t>(matrix.rowPtr[row + 1]) <= at)
            ++row;
        text += fmt::format(" ({}, {})", row, matrix.col[at]);
    }
    return text + "\n";
}

} // namespace sparserl
