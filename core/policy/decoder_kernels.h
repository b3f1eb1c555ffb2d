// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// Keys of a cache are padded to a multiple of this, so that whole tiles may be read.
inline constexpr std::int64_t keyTile = 64;

/// y = x * rsqrt(mean(x^2) + epsilon) * weight over d values.
void normalizeRow(const float* x, const float* weight, float* y, std::int64_t d, float epsilon);
/// x = max(x, 0).
void reluRow(float* x, std::int64_t n);
/// y = gelu_tanh(x[0..n)) * x[n..2n).
void gatedGeluRow(const float* x, float* y, std::int64_t n);
/// Attention of one query over n keys. `keys` is stored by component, [width, ld] with ld a multiple of
/// keyTile; `values` [n, width]; `bias` [n] or null; `scratch` holds ld floats. Writes width floats.
void attendOne(const float* query, const float* keys, std::int64_t ld, const float* values, const float* bias,
               std::int64_t n, std::int64_t width, float* scratch, float* out);
/// exps[i] = e^(logits[i] * scale - top), top = max(logits) * scale. Returns the sum; *top is set.
float softmaxNumerators(const float* logits, float* exps, std::int64_t n, float scale, float* top);

} // namespace sparserl
