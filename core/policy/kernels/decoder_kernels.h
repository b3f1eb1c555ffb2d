// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// Keys of a cache lie in tiles of this many, each by component, [tiles, width, keyTile]: what a query reads
/// is one run of memory. By component over all keys it was a stride of a kilobyte, and most of the time was
/// spent waiting.
inline constexpr std::int64_t keyTile = 32;

/// Where component c of key j lies in such a cache.
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
/// Attention of one query over n keys. `keys` in tiles (keyAt), the last one whole; `values` [n, width];
/// `bias` [n] or null; `scratch` holds n floats, rounded up to tiles. Writes width floats.
void attendOne(const float* query, const float* keys, const float* values, const float* bias, std::int64_t n,
               std::int64_t width, float* scratch, float* out);
/// exps[i] = e^(logits[i] * scale - top), top = max(logits) * scale. Returns the sum; *top is set.
float softmaxNumerators(const float* logits, float* exps, std::int64_t n, float scale, float* top);

} // namespace sparserl
