// SPDX-License-Identifier: Apache-2.0
#include "policy/decoder_kernels.h"

#include "policy/simd.h"

#include <cmath>
#include <cstring>

namespace sparserl {

namespace {

/// Sixteen floats that the compiler splits into whatever vectors the machine has.
using Vector = float __attribute__((vector_size(64)));

} // namespace

SPARSERL_CLONES void normalizeRow(const float* __restrict x, const float* __restrict weight,
                                  float* __restrict y, std::int64_t d, float epsilon)
{
    const float mean = laneSum(d, [&](std::int64_t i) { return x[i] * x[i]; }) / float(d);
    const float r = 1.0f / std::sqrt(mean + epsilon);
    for (std::int64_t i = 0; i < d; ++i)
        y[i] = weight[i] * (x[i] * r);
}

SPARSERL_CLONES void reluRow(float* __restrict x, std::int64_t n)
{
    for (std::int64_t i = 0; i < n; ++i)
        x[i] = x[i] > 0 ? x[i] : 0;
}

void gatedGeluRow(const float* x, float* y, std::int64_t n)
{
    for (std::int64_t i = 0; i < n; ++i) {
        const float v = x[i];
        y[i] = 0.5f * v * (1.0f + std::tanh(0.79788456080286536f * (v + 0.044715f * v * v * v))) * x[n + i];
    }
}

SPARSERL_CLONES void attendOne(const float* __restrict query, const float* __restrict keys,
                               const float* __restrict values, const float* __restrict bias, std::int64_t n,
                               std::int64_t width, float* __restrict scratch, float* __restrict out)
{
    constexpr int vectors = keyTile * sizeof(float) / sizeof(Vector);
    for (std::int64_t j = 0; j < n; j += keyTile) {
        Vector sum[vectors] = {};
        const float* from = keys + j * width;
        for (std::int64_t c = 0; c < width; ++c, from += keyTile) {
            Vector tile[vectors];
            std::memcpy(tile, from, sizeof tile);
            for (int l = 0; l < vectors; ++l)
                sum[l] += tile[l] * query[c];
        }
        std::memcpy(scratch + j, sum, sizeof sum);
    }
    if (bias) {
        for (std::int64_t j = 0; j < n; ++j)
            scratch[j] += bias[j];
    }
    const float top = laneMax(n, [&](std::int64_t j) { return scratch[j]; });
    for (std::int64_t j = 0; j < n; ++j)
        scratch[j] = fastExp(scratch[j] - top);
    const float scale = 1.0f / laneSum(n, [&](std::int64_t j) { return scratch[j]; });
    std::int64_t c = 0;
    for (; c + 32 <= width; c += 32) {
        Vector sum[2] = {};
        for (std::int64_t j = 0; j < n; ++j) {
            Vector value[2];
            std::memcpy(value, values + j * width + c, sizeof value);
            sum[0] += value[0] * scratch[j];
            sum[1] += value[1] * scratch[j];
        }
        sum[0] *= scale;
        sum[1] *= scale;
        std::memcpy(out + c, sum, sizeof sum);
    }
    for (; c < width; ++c) {
        float sum = 0;
        for (std::int64_t j = 0; j < n; ++j)
            sum += values[j * width + c] * scratch[j];
        out[c] = sum * scale;
    }
}

SPARSERL_CLONES float softmaxNumerators(const float* __restrict logits, float* __restrict exps,
                                        std::int64_t n, float scale, float* top)
{
    const float largest = laneMax(n, [&](std::int64_t i) { return logits[i] * scale; });
    for (std::int64_t i = 0; i < n; ++i)
        exps[i] = fastExp(logits[i] * scale - largest);
    *top = largest;
    return laneSum(n, [&](std::int64_t i) { return exps[i]; });
}

} // namespace sparserl
