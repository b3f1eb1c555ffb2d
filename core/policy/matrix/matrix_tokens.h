// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/csr.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

namespace sparserl {

/// The encoder's view of a matrix (docs/design.md 6; SparseRL 3.2 and its ablations).
enum class EmbeddingMode
{
    Raw,                 ///< (r, c) unchanged
    MaxMin,              ///< (r / rows, c / cols) of the largest matrix in the data set (SparseRL, Table 3)
    Sinusoidal,          ///< the paper's Eq. 2: [PE(r) | PE(c)]
    SinusoidalStructure, ///< Eq. 2 over whole row windows, with row lengths, preceded by feature tokens
    Quadtree,            ///< traversal of the quad-tree of the non-zeros (SparseRL A.8, as UniXcoder)
    QuadtreeAttention    ///< its nodes; half of the encoder's heads attend only along its edges (A.8, as
                         ///< GraphCodeBERT)
};
/// "raw", "maxmin", "sinusoidal", "sinusoidal+structure", "quadtree", "quadtree-attention"
std::string_view nameOf(EmbeddingMode mode);
Result<EmbeddingMode> embeddingModeFromName(std::string_view name);

struct EmbeddingConfig
{
    EmbeddingMode mode = EmbeddingMode::SinusoidalStructure;
    int maxEntries = 96;   ///< Maximum number of non-zeros; for a quad-tree, of its nodes or steps.
    int peDim = 64;        ///< Width of one PE, even. An entry has width 2 * peDim before the linear layer.
    int featureTokens = 4; ///< Tokens for the feature vector; `sinusoidal+structure` only.
    /// `maxmin`: the largest row and column counts in the data set. 0: each matrix's own, as in policies from
    /// older versions.
    int maxRows = 0, maxCols = 0;

    int entryWidth() const;   ///< Floats per entry.
    int featureWidth() const; ///< Floats in the feature vector; 0 if the mode has none.
    Status check() const;
};
nlohmann::json toJson(const EmbeddingConfig& config);
Result<EmbeddingConfig> embeddingConfigFromJson(const nlohmann::json& json);

/// A matrix as input of the encoder's first layer. Plain numbers; the linear layers belong to the policy.
struct MatrixTokens
{
    int count = 0;               ///< Number of sampled entries, at least 1 (an empty matrix has one entry of
                                 ///< zeros).
    std::vector<float> entries;  ///< [count, entryWidth]
    std::vector<float> features; ///< [featureWidth]
    std::vector<std::int32_t> rows, cols; ///< Sampled non-zeros; empty if nnz = 0.
    /// [count] `quadtree-attention`: each entry's parent, -1 for the root; otherwise empty.
    std::vector<std::int32_t> parents;
};

/// Samples and embeds a matrix. The same matrix, configuration and seed yield the same numbers.
MatrixTokens matrixTokens(const Csr& matrix, const EmbeddingConfig& config, std::uint64_t seed);

/// Eq. 2: out[2j] = sin(index / 10000^(2j/dim)), out[2j+1] = cos(the same), j < dim/2.
void sinusoid(double index, int dim, float* out);

/// The feature vector of `sinusoidal+structure`: sizes, row-length quantiles and moments, diagonal and block
/// structure, each roughly in [-1, 1] for any matrix. Its length is structureFeatureCount.
std::vector<float> structureFeatures(const Csr& matrix);
inline constexpr int structureFeatureCount = 24;

} // namespace sparserl
