// SPDX-License-Identifier: Apache-2.0
#include "policy/kernels/decoder_kernels.h"

#include "policy/kernels/simd.h"

#include <cmath>

namespace sparserl {

namespace {

/// Eight floats anywhere in memory. Sixteen, which AVX2 has to split, and arrays of vectors that are copied
/// as one, go through the stack with GCC 12: several times as slow.
using Vector = float __attribute__((vector_size(32), aligned(4), may_alias));

Vector& vectorAt(float* x)
{
    return *reinterpret_cast<Vector*>(x);
}

const Vector& vectorAt(const float* x)
{
    return *reinterpret_cast<const Vector*>(x);
}

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
    static_assert(keyTile == 4 * 8);
    for (std::int64_t j = 0; j < n; j += keyTile) {
        Vector a = {}, b = {}, c = {}, d = {};
        const float* from = keys + j * width;
        for (std::int64_t i = 0; i < width; ++i, from += keyTile) {
            a += vectorAt(from) * query[i];
            b += vectorAt(from + 8) * query[i];
            c += vectorAt(from + 16) * query[i];
            d += vectorAt(from + 24) * query[i];
        }
        vectorAt(scratch + j) = a;
        vectorAt(scratch + j + 8) = b;
        vectorAt(scratch + j + 16) = c;
        vectorAt(scratch + j + 24) = d;
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
        Vector first = {}, second = {}, third = {}, fourth = {};
        const float* from = values + c;
        for (std::int64_t j = 0; j < n; ++j, from += width) {
            first += vectorAt(from) * scratch[j];
            second += vectorAt(from + 8) * scratch[j];
            third += vectorAt(from + 16) * scratch[j];
            fourth += vectorAt(from + 24) * scratch[j];
        }
        vectorAt(out + c) = first * scale;
        vectorAt(out + c + 8) = second * scale;
        vectorAt(out + c + 16) = third * scale;
        vectorAt(out + c + 24) = fourth * scale;
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
