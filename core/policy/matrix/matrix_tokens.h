// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/csr.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

namespace sparserl {

/// What of a matrix the encoder sees (docs/design.md 6; SparseRL 3.2 and its ablations).
enum class EmbeddingMode
{
    Raw,                 ///< (r, c) as they are
    MaxMin,              ///< (r / rows, c / cols) with the largest matrix of the data set (SparseRL, Table 3)
    Sinusoidal,          ///< the paper's Eq. 2: [PE(r) | PE(c)]
    SinusoidalStructure, ///< Eq. 2 over whole row windows, with row lengths, and feature tokens before them
    Quadtree,            ///< a walk through the quad-tree of the non-zeros (SparseRL A.8, as UniXcoder)
    QuadtreeAttention ///< its nodes; half of the encoder's heads see its edges only (A.8, as GraphCodeBERT)
};
/// "raw", "maxmin", "sinusoidal", "sinusoidal+structure", "quadtree", "quadtree-attention"
std::string_view nameOf(EmbeddingMode mode);
Result<EmbeddingMode> embeddingModeFromName(std::string_view name);

struct EmbeddingConfig
{
    EmbeddingMode mode = EmbeddingMode::SinusoidalStructure;
    int maxEntries = 96;   ///< Non-zeros that the encoder sees at most; of a quad-tree, its nodes or steps.
    int peDim = 64;        ///< Width of one PE: even; an entry is 2 * peDim wide before the linear layer.
    int featureTokens = 4; ///< Tokens made of the feature vector; `sinusoidal+structure` only.
    /// `maxmin`: most rows and columns of a matrix of the data set; 0: those of each matrix itself, as in
    /// policies from before these were kept.
    int maxRows = 0, maxCols = 0;

    int entryWidth() const;   ///< Floats of one entry.
    int featureWidth() const; ///< Floats of the feature vector; 0 where the mode has none.
    Status check() const;
};
nlohmann::json toJson(const EmbeddingConfig& config);
Result<EmbeddingConfig> embeddingConfigFromJson(const nlohmann::json& json);

/// A matrix as the encoder's first layer reads it. Plain numbers: the linear layers are the policy's.
struct MatrixTokens
{
    int count = 0;               ///< Sampled entries; at least 1 (an empty matrix gives one entry of zeros).
    std::vector<float> entries;  ///< [count, entryWidth]
    std::vector<float> features; ///< [featureWidth]
    std::vector<std::int32_t> rows, cols; ///< Which non-zeros were taken; empty if nnz = 0.
    /// [count] `quadtree-attention`: each entry's parent, -1 for the root's; else empty.
    std::vector<std::int32_t> parents;
};

/// Samples and embeds; the same matrix, configuration and seed give the same numbers.
MatrixTokens matrixTokens(const Csr& matrix, const EmbeddingConfig& config, std::uint64_t seed);

/// Eq. 2: out[2j] = sin(index / 10000^(2j/dim)), out[2j+1] = cos(the same), j < dim/2.
void sinusoid(double index, int dim, float* out);

/// The feature vector of `sinusoidal+structure`: sizes, row-length quantiles and moments, diagonal and block
/// structure; each about in [-1, 1] whatever the matrix. Its length is structureFeatureCount.
std::vector<float> structureFeatures(const Csr& matrix);
inline constexpr int structureFeatureCount = 24;

} // namespace sparserl
