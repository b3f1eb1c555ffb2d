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

/// The numbers that decide which kernel suits a matrix (docs/kernels.md 4). Ratios with denominator 0 are 0.
struct MatrixFeatures
{
    std::int64_t rows = 0, cols = 0, nnz = 0;
    double density = 0; ///< nnz / (rows * cols)
    double rowMean = 0;
    std::int64_t rowMax = 0, rowMin = 0;
    double rowStd = 0;    ///< Population standard deviation of row lengths.
    double rowCv = 0;     ///< rowStd / rowMean
    double rowGini = 0;   ///< 0: equal lengths; near 1: few rows hold all entries.
    double emptyRows = 0; ///< Fraction of rows without entries.
    std::int64_t rowQ50 = 0, rowQ80 = 0,
                 rowQ99 = 0;  ///< Smallest length not exceeded by this percentage of rows.
    double ellRatio = 0;      ///< rowMax / rowMean: stored entries per non-zero in ELL.
    double bandwidthMean = 0; ///< Mean |column - row| over entries.
    std::int64_t bandwidthMax = 0;
    std::int64_t diagonals = 0; ///< Diagonals with at least one entry.
    double diagonalFill = 0;    ///< nnz / (diagonals * rows): used fraction of DIA's slots.
    std::array<double, 4>
        blockFill{};          ///< For 2x2, 4x4, 8x8 and 16x16: nnz / (touched aligned blocks * block area).
    double windowColumns = 0; ///< Mean number of distinct columns in a window of 16 rows.
    double windowReuse = 0;   ///< Entries per distinct column in windows of 16 rows: reuse of x.
    double columnGap = 0;     ///< Mean distance between adjacent entries of a row (1: contiguous).
    double patternSymmetry =
        0;                    ///< Fraction of off-diagonal entries with a mirror entry (1 if there are none).
    double valueSymmetry = 0; ///< Fraction with a mirror entry of equal value.
    std::int64_t denseColumns = 1; ///< N of SpMM, from the task.
    double mainDiagonal = -1;      ///< Fraction of the main diagonal that is stored; -1: unknown.
    /// Strongly connected components of the directed graph with an edge i -> j for each entry a_ij; -1:
    /// unknown, or not square.
    std::int64_t strongComponents = -1;
};

/// The limit on rows plus entries for counting strongly connected components. The search keeps four numbers
/// per row and accesses memory at random.
constexpr std::int64_t mostForStrongComponents = 200'000'000;

MatrixFeatures computeFeatures(const Csr& matrix, std::int64_t denseColumns = 1);

/// The structure implied by the symmetries, in the terms of the SuiteSparse collection: "rectangular",
/// "symmetric", "symmetric pattern" or "unsymmetric".
std::string_view structureOf(const MatrixFeatures& features);

/// The declaration of a feature. Tables, tooltips, JSON and the policy's feature tokens are generated from
/// this list.
struct FeatureSpec
{
    std::string_view key;  ///< JSON name: "row_mean"
    std::string_view name; ///< "Mean row length"
    std::string_view unit; ///< "entries", "share" or empty
    std::string_view help; ///< One sentence.
    bool integer = false;
    double (*value)(const MatrixFeatures&) = nullptr;
    /// A negative value means unknown: `null` in JSON. Older files omit the feature.
    bool mayBeUnknown = false;

    bool known(const MatrixFeatures& features) const { return !mayBeUnknown || value(features) >= 0; }
};
const std::vector<FeatureSpec>& featureSpecs();
const FeatureSpec* findFeature(std::string_view key);

/// An object with every feature by key; null if unknown.
nlohmann::json toJson(const MatrixFeatures& features);
/// Whether an object for featuresFromJson() was written by a version with fewer features.
bool lacksFeatures(const nlohmann::json& json);
std::optional<MatrixFeatures> featuresFromJson(const nlohmann::json& json);

} // namespace sparserl
