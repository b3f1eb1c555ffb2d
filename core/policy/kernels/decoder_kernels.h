// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// The number of keys in a tile. Cached keys are stored in tiles, [tiles, width, keyTile], so that a query
/// reads contiguous memory. With one array per component over all keys, the stride was a kilobyte, and most
/// of the time was memory latency.
inline constexpr std::int64_t keyTile = 32;

/// Returns the index of component c of key j in this layout.
inline std::int64_t keyAt(std::int64_t j, std::int64_t c, std::int64_t width)
{
    return (j / keyTile * width + c) * keyTile + j % keyTile;
}

/// Computes y = x * rsqrt(mean(x^2) + epsilon) * weight for d values.
void normalizeRow(const float* x, const float* weight, float* y, std::int64_t d, float epsilon);
/// Replaces x with max(x, 0).
void reluRow(float* x, std::int64_t n);
/// Computes y[i] = gelu_tanh(x[i]) * x[n + i] for i < n.
void gatedGeluRow(const float* x, float* y, std::int64_t n);
/// Computes the attention of one query over n keys. `keys` is stored in tiles (keyAt), and the last tile is
/// complete. `values` is [n, width], and `bias` is [n] or null. `scratch` has room for n floats, rounded up
/// to whole tiles. Writes `width` floats to `out`.
void attendOne(const float* query, const float* keys, const float* values, const float* bias, std::int64_t n,
               std::int64_t width, float* scratch, float* out);
/// Computes exps[i] = e^(logits[i] * scale - top) with top = max(logits) * scale. Returns the sum of exps and
/// sets *top.
float softmaxNumerators(const float* logits, float* exps, std::int64_t n, float scale, float* top);

} // namespace sparserl
