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

/// The numbers that decide which kernel suits a matrix (docs/kernels.md 4). A ratio with denominator 0 is 0.
struct MatrixFeatures
{
    std::int64_t rows = 0, cols = 0, nnz = 0;
    double density = 0; ///< nnz / (rows * cols)
    double rowMean = 0;
    std::int64_t rowMax = 0, rowMin = 0;
    double rowStd = 0;    ///< Population standard deviation of row lengths.
    double rowCv = 0;     ///< rowStd / rowMean
    double rowGini = 0;   ///< 0 if all rows have the same length; near 1 if few rows hold all entries.
    double emptyRows = 0; ///< Fraction of rows without entries.
    std::int64_t rowQ50 = 0, rowQ80 = 0,
                 rowQ99 = 0;  ///< The smallest length that this percentage of rows does not exceed.
    double ellRatio = 0;      ///< rowMax / rowMean: the number of entries that ELL stores per non-zero.
    double bandwidthMean = 0; ///< Mean of |column - row| over all entries.
    std::int64_t bandwidthMax = 0;
    std::int64_t diagonals = 0; ///< Diagonals with at least one entry.
    double diagonalFill = 0;    ///< nnz / (diagonals * rows): the fraction of DIA's slots that hold an entry.
    std::array<double, 4>
        blockFill{}; ///< nnz / (area of all aligned blocks with entries), for 2x2, 4x4, 8x8 and 16x16.
    double windowColumns = 0; ///< Mean number of different columns in a window of 16 rows.
    double windowReuse =
        0; ///< Mean number of entries per different column in windows of 16 rows, which is the reuse of x.
    double columnGap = 0; ///< Mean distance between neighbouring entries of a row (1: contiguous).
    double patternSymmetry =
        0; ///< Fraction of off-diagonal entries whose mirror position holds an entry (1 if there are none).
    double valueSymmetry = 0; ///< Fraction of off-diagonal entries whose mirror entry has the same value.
    std::int64_t denseColumns = 1; ///< The number N of dense columns in SpMM, which the task determines.
    double mainDiagonal = -1;      ///< Fraction of the main diagonal that holds entries; -1: unknown.
    /// Number of strongly connected components of the directed graph with an edge i -> j for each entry a_ij.
    /// -1 if it is unknown or the matrix is not square.
    std::int64_t strongComponents = -1;
};

/// Strongly connected components are counted only if rows plus entries do not exceed this limit. The search
/// keeps four numbers per row and accesses memory at random.
constexpr std::int64_t mostForStrongComponents = 200'000'000;

MatrixFeatures computeFeatures(const Csr& matrix, std::int64_t denseColumns = 1);

/// Returns the structure that follows from the symmetries, in the terms of the SuiteSparse collection:
/// "rectangular", "symmetric", "symmetric pattern" or "unsymmetric".
std::string_view structureOf(const MatrixFeatures& features);

/// Declares a feature. Tables, tooltips, JSON and the policy's feature tokens are generated from the list of
/// declarations.
struct FeatureSpec
{
    std::string_view key;  ///< JSON name: "row_mean"
    std::string_view name; ///< "Mean row length"
    std::string_view unit; ///< "entries", "share" or empty
    std::string_view help; ///< One sentence.
    bool integer = false;
    double (*value)(const MatrixFeatures&) = nullptr;
    /// If true, a negative value means unknown, which is `null` in JSON. Older files omit the feature.
    bool mayBeUnknown = false;

    bool known(const MatrixFeatures& features) const { return !mayBeUnknown || value(features) >= 0; }
};
const std::vector<FeatureSpec>& featureSpecs();
const FeatureSpec* findFeature(std::string_view key);

/// Returns an object with the value of every feature under its key. An unknown value is null.
nlohmann::json toJson(const MatrixFeatures& features);
/// Returns true if an object for featuresFromJson() was written by a version with fewer features.
bool lacksFeatures(const nlohmann::json& json);
std::optional<MatrixFeatures> featuresFromJson(const nlohmann::json& json);

} // namespace sparserl
