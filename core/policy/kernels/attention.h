// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/kernels/tree_mask.h"
#include "policy/torch.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace sparserl {

/// Start of each sequence in a packed batch: sequence b has the rows offsets[b] .. offsets[b + 1] - 1. A
/// packed batch has no padding, so padding cannot affect a result.
using Offsets = std::vector<std::int64_t>;

/// T5's layer norm: x * rsqrt(mean(x^2) + epsilon) * weight, without mean or bias. x [rows, d].
torch::Tensor rmsNorm(const torch::Tensor& x, const torch::Tensor& weight, double epsilon);

/// Softmax(Q K^T + bias) V within each sequence, per head, without 1/sqrt(d) (T5). qkv [rows, 3 * inner]:
/// query, key and value concatenated. `diagonalBias` [heads, 2 * L - 1], L >= the longest sequence: the bias
/// of key j for query i is at j - i + L - 1. Heads of `tree` give masked keys probability 0. Returns [rows,
/// inner]. Differentiable in qkv and diagonalBias.
torch::Tensor selfAttention(const torch::Tensor& qkv, const torch::Tensor& diagonalBias,
                            const Offsets& offsets, bool causal,
                            const std::shared_ptr<const TreeMask>& tree = nullptr);

/// Softmax(Q K^T) V, where the queries [rows, inner] of sequence b attend to the keys and values [keyRows, 2
/// * inner] of input inputOf[b]. Returns [rows, inner].
torch::Tensor crossAttention(const torch::Tensor& query, const torch::Tensor& keyValue,
                             const Offsets& offsets, const Offsets& keyOffsets,
                             const std::vector<int>& inputOf, int heads);

/// C = A B (+ C) on row-major blocks in single precision, with leading dimensions, using LibTorch's BLAS.
/// transposeA: A is stored [k, m]; transposeB: B is stored [n, k].
void sgemmRowMajor(bool transposeA, bool transposeB, std::int64_t m, std::int64_t n, std::int64_t k,
                   const float* a, std::int64_t lda, const float* b, std::int64_t ldb, bool accumulate,
                   float* c, std::int64_t ldc);

} // namespace sparserl
