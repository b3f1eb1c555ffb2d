// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/csr.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

namespace sparserl {

/// The form in which the encoder reads a matrix (docs/design.md 6; SparseRL 3.2 and its ablations).
enum class EmbeddingMode
{
    Raw,    ///< The position (r, c) of each non-zero.
    MaxMin, ///< (r / rows, c / cols), with the size of the largest matrix in the data set (SparseRL, Table
            ///< 3).
    Sinusoidal,          ///< [PE(r) | PE(c)] (Eq. 2 of the paper).
    SinusoidalStructure, ///< Eq. 2 for windows of whole rows, with the lengths of rows, after feature tokens.
    Quadtree,            ///< A traversal of the quad-tree of the non-zeros (SparseRL A.8, as in UniXcoder).
    QuadtreeAttention ///< The nodes of the quad-tree. Half of the encoder's heads attend only along its edges
                      ///< (A.8, as in GraphCodeBERT).
};
/// Returns "raw", "maxmin", "sinusoidal", "sinusoidal+structure", "quadtree" or "quadtree-attention".
std::string_view nameOf(EmbeddingMode mode);
Result<EmbeddingMode> embeddingModeFromName(std::string_view name);

struct EmbeddingConfig
{
    EmbeddingMode mode = EmbeddingMode::SinusoidalStructure;
    int maxEntries = 96;   ///< Largest number of non-zeros or, for a quad-tree, of its nodes or steps.
    int peDim = 64;        ///< Width of a PE; even. An entry has the width 2 * peDim before the linear layer.
    int featureTokens = 4; ///< Number of tokens for the feature vector; only for `sinusoidal+structure`.
    /// `maxmin`: the largest numbers of rows and of columns in the data set. 0: each matrix uses its own
    /// numbers, as in policies from older versions.
    int maxRows = 0, maxCols = 0;

    int entryWidth() const;   ///< Returns the number of floats of an entry.
    int featureWidth() const; ///< Returns the number of floats in the feature vector; 0 if the mode has none.
    Status check() const;
};
nlohmann::json toJson(const EmbeddingConfig& config);
Result<EmbeddingConfig> embeddingConfigFromJson(const nlohmann::json& json);

/// A matrix as the encoder's first layer reads it. These are plain numbers; the linear layers belong to the
/// policy.
struct MatrixTokens
{
    int count = 0; ///< Number of sampled entries, at least 1. An empty matrix has one entry of zeros.
    std::vector<float> entries;           ///< [count, entryWidth]
    std::vector<float> features;          ///< [featureWidth]
    std::vector<std::int32_t> rows, cols; ///< Positions of the sampled non-zeros; empty for an empty matrix.
    /// [count] For `quadtree-attention`, the parent of each entry, or -1 for the root. Empty for other modes.
    std::vector<std::int32_t> parents;
};

/// Samples a matrix and converts it to tokens. The same matrix, configuration and seed give the same numbers.
MatrixTokens matrixTokens(const Csr& matrix, const EmbeddingConfig& config, std::uint64_t seed);

/// Computes Eq. 2 for j < dim/2: out[2j] = sin(index / 10000^(2j/dim)), out[2j+1] = cos(index /
/// 10000^(2j/dim)).
void sinusoid(double index, int dim, float* out);

/// Returns the feature vector for `sinusoidal+structure`, of length structureFeatureCount. It describes the
/// size, the quantiles and moments of the row lengths, and the diagonal and block structure. Each number is
/// roughly in [-1, 1] for any matrix.
std::vector<float> structureFeatures(const Csr& matrix);
inline constexpr int structureFeatureCount = 24;

} // namespace sparserl
