// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/kernels/tree_mask.h"
#include "policy/torch.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace sparserl {

/// Where each sequence of a packed batch starts: rows offsets[b] .. offsets[b + 1] - 1. No padding exists, so
/// none can leak into a result.
using Offsets = std::vector<std::int64_t>;

/// T5's layer norm: x * rsqrt(mean(x^2) + epsilon) * weight, without mean or bias. x [rows, d].
torch::Tensor rmsNorm(const torch::Tensor& x, const torch::Tensor& weight, double epsilon);

/// Softmax(Q K^T + bias) V within each sequence, per head, without 1/sqrt(d) (T5). qkv [rows, 3 * inner]:
/// query, key and value side by side. `diagonalBias` [heads, 2 * L - 1], L >= the longest sequence: the bias
/// of key j for query i stands at j - i + L - 1. Heads of `tree` give a key that they do not see no
/// probability. Returns [rows, inner]. Differentiable in both.
torch::Tensor selfAttention(const torch::Tensor& qkv, const torch::Tensor& diagonalBias,
                            const Offsets& offsets, bool causal,
                            const std::shared_ptr<const TreeMask>& tree = nullptr);

/// Softmax(Q K^T) V where the queries [rows, inner] of sequence b look at the keys and values [keyRows, 2 *
/// inner] of input inputOf[b]. Returns [rows, inner].
torch::Tensor crossAttention(const torch::Tensor& query, const torch::Tensor& keyValue,
                             const Offsets& offsets, const Offsets& keyOffsets,
                             const std::vector<int>& inputOf, int heads);

/// C = A B (+ C) on row-major blocks by the BLAS inside LibTorch, single precision, with leading dimensions.
/// transposeA: A is stored [k, m]; transposeB: B is stored [n, k].
void sgemmRowMajor(bool transposeA, bool transposeB, std::int64_t m, std::int64_t n, std::int64_t k,
                   const float* a, std::int64_t lda, const float* b, std::int64_t ldb, bool accumulate,
                   float* c, std::int64_t ldc);

} // namespace sparserl
