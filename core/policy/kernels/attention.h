// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/kernels/tree_mask.h"
#include "policy/torch.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace sparserl {

/// The first row of each sequence in a packed batch: sequence b has the rows offsets[b] .. offsets[b + 1] -
/// 1. A packed batch has no padding, so padding cannot affect a result.
using Offsets = std::vector<std::int64_t>;

/// Returns T5's layer norm of x [rows, d]: x * rsqrt(mean(x^2) + epsilon) * weight. T5 does not subtract the
/// mean or add a bias.
torch::Tensor rmsNorm(const torch::Tensor& x, const torch::Tensor& weight, double epsilon);

/// Computes softmax(Q K^T + bias) V within each sequence, per head. As in T5, there is no factor 1/sqrt(d).
/// qkv [rows, 3 * inner] contains query, key and value. `diagonalBias` is [heads, 2 * L - 1], where L is at
/// least the length of the longest sequence; the bias of key j for query i is at j - i + L - 1. If `tree` is
/// not null, its heads give masked keys the probability 0. Returns [rows, inner]. Differentiable in qkv and
/// diagonalBias.
torch::Tensor selfAttention(const torch::Tensor& qkv, const torch::Tensor& diagonalBias,
                            const Offsets& offsets, bool causal,
                            const std::shared_ptr<const TreeMask>& tree = nullptr);

/// Computes softmax(Q K^T) V per head, where the queries [rows, inner] of sequence b attend to the keys and
/// values [keyRows, 2 * inner] of input inputOf[b]. Returns [rows, inner].
torch::Tensor crossAttention(const torch::Tensor& query, const torch::Tensor& keyValue,
                             const Offsets& offsets, const Offsets& keyOffsets,
                             const std::vector<int>& inputOf, int heads);

/// Computes C = A B, or C += A B if `accumulate`, in single precision with LibTorch's BLAS. A [m, k], B [k,
/// n] and C [m, n] are row-major with the leading dimensions lda, ldb and ldc. With transposeA, A is stored
/// as [k, m]; with transposeB, B is stored as [n, k].
void sgemmRowMajor(bool transposeA, bool transposeB, std::int64_t m, std::int64_t n, std::int64_t k,
                   const float* a, std::int64_t lda, const float* b, std::int64_t ldb, bool accumulate,
                   float* c, std::int64_t ldc);

} // namespace sparserl
