// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// Cached keys are stored in tiles of this many keys, by component: [tiles, width, keyTile]. A query thus
/// reads contiguous memory. Storing each component over all keys gave a stride of a kilobyte and spent most
/// of the time on memory latency.
inline constexpr std::int64_t keyTile = 32;

/// Index of component c of key j in this layout.
inline std::int64_t keyAt(std::int64_t j, std::int64_t c, std::int64_t width)
{
    return (j / keyTile * width + c) * keyTile + j % keyTile;
}

/// y = x * rsqrt(mean(x^2) + epsilon) * weight over d values.
void normalizeRow(const float* x, const float* weight, float* y, std::int64_t d, float epsilon);
/// x = max(x, 0).
void reluRow(float* x, std::int64_t n);
/// y = gelu_tanh(x[0..n)) * x[n..2n).
void gatedGeluRow(const float* x, float* y, std::int64_t n);
/// Attention of one query over n keys. `keys` is tiled (keyAt) with a complete last tile; `values` [n,
/// width]; `bias` [n] or null; `scratch` holds n floats, rounded up to tiles. Writes width floats.
void attendOne(const float* query, const float* keys, const float* values, const float* bias, std::int64_t n,
               std::int64_t width, float* scratch, float* out);
/// exps[i] = e^(logits[i] * scale - top), top = max(logits) * scale. Returns the sum and sets *top.
float softmaxNumerators(const float* logits, float* exps, std::int64_t n, float scale, float* top);

} // namespace sparserl
