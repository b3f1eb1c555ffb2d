// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

#include <utility>

namespace sparserl {

/// Computes, for each row, the log-probability of its target under softmax(logits / temperature) and, if
/// `withEntropy`, the entropy. Needs one pass, and saves one array for the backward pass. logits is [rows, V]
/// fp32, targets is [rows] int64. Returns {log-probabilities [rows], entropies [rows]}.
std::pair<torch::Tensor, torch::Tensor> fusedTokenStatistics(const torch::Tensor& logits,
                                                             const torch::Tensor& targets, double temperature,
                                                             bool withEntropy);

/// Computes the same statistics with LibTorch's operations, on any device.
std::pair<torch::Tensor, torch::Tensor> plainTokenStatistics(const torch::Tensor& logits,
                                                             const torch::Tensor& targets, double temperature,
                                                             bool withEntropy);

} // namespace sparserl
