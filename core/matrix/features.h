// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The numbers that decide which kernel suits a matrix (docs/kernels.md 4). Ratios of nothing are 0.
struct MatrixFeatures
{
    std::int64_t rows = 0, cols = 0, nnz = 0;
    double density = 0; ///< nnz / (rows * cols)
    double rowMean = 0;
    std::int64_t rowMax = 0, rowMin = 0;
    double rowStd = 0;    ///< Population standard deviation of row lengths.
    double rowCv = 0;     ///< rowStd / rowMean
    double rowGini = 0;   ///< 0: equal lengths, towards 1: few rows hold everything.
    double emptyRows = 0; ///< Share of rows without entries.
    std::int64_t rowQ50 = 0, rowQ80 = 0,
                 rowQ99 = 0;  ///< Least length that this per cent of rows do not exceed.
    double ellRatio = 0;      ///< rowMax / rowMean: stored over real entries in ELL.
    double bandwidthMean = 0; ///< Mean |column - row| over entries.
    std::int64_t bandwidthMax = 0;
    std::int64_t diagonals = 0; ///< Diagonals with at least one entry.
    double diagonalFill = 0;    ///< nnz / (diagonals * rows): share of DIA's slots in use.
    std::array<double, 4>
        blockFill{};          ///< For 2x2, 4x4, 8x8 and 16x16: nnz / (touched aligned blocks * block area).
    double windowColumns = 0; ///< Mean number of distinct columns in a window of 16 rows.
    double windowReuse = 0;   ///< Entries per distinct column in windows of 16 rows: reuse of x.
    double columnGap = 0;     ///< Mean distance between neighbours in a row (1: contiguous).
    double patternSymmetry =
        0; ///< Share of off-diagonal entries whose mirror entry exists (1 if there are none).
    double valueSymmetry = 0;      ///< Share whose mirror entry exists with the same value.
    std::int64_t denseColumns = 1; ///< N of SpMM, from the task.
    double mainDiagonal = -1;      ///< Share of the main diagonal's places that hold an entry; -1: not known.
    /// Strongly connected components of the directed graph with an edge i -> j for each entry a_ij; -1: not
    /// known, or not square.
    std::int64_t strongComponents = -1;
};

/// Rows and entries together beyond which strongly connected components are not counted: the search holds
/// four numbers for each row and goes through memory at random.
constexpr std::int64_t mostForStrongComponents = 200'000'000;

MatrixFeatures computeFeatures(const Csr& matrix, std::int64_t denseColumns = 1);

/// What the symmetries make of a matrix, in the words of the SuiteSparse collection: "rectangular",
/// "symmetric", "symmetric pattern" or "unsymmetric".
std::string_view structureOf(const MatrixFeatures& features);

/// Declared once per feature: tables, tool tips, JSON and the policy's feature tokens come from this list.
struct FeatureSpec
{
    std::string_view key;  ///< JSON name: "row_mean"
    std::string_view name; ///< "Mean row length"
    std::string_view unit; ///< "entries", "share" or empty
    std::string_view help; ///< One sentence.
    bool integer = false;
    double (*value)(const MatrixFeatures&) = nullptr;
    /// Negative: not known, `null` in JSON, absent in files of before the feature.
    bool mayBeUnknown = false;

    bool known(const MatrixFeatures& features) const { return !mayBeUnknown || value(features) >= 0; }
};
const std::vector<FeatureSpec>& featureSpecs();
const FeatureSpec* findFeature(std::string_view key);

/// Object with every feature by key; null where it is not known.
nlohmann::json toJson(const MatrixFeatures& features);
/// Whether an object that featuresFromJson() reads was written before there were all features.
bool lacksFeatures(const nlohmann::json& json);
std::optional<MatrixFeatures> featuresFromJson(const nlohmann::json& json);

} // namespace sparserl
