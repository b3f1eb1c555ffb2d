// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

#include <utility>

namespace sparserl {

/// Log-probability of each row's target under softmax(logits / temperature), and optionally the entropy, in
/// one pass with one saved array. logits [rows, V] fp32, targets int64 [rows]. Returns {logp [rows], entropy
/// [rows]}.
std::pair<torch::Tensor, torch::Tensor> fusedTokenStatistics(const torch::Tensor& logits,
                                                             const torch::Tensor& targets, double temperature,
                                                             bool withEntropy);

/// The same with LibTorch's operations, on any device.
std::pair<torch::Tensor, torch::Tensor> plainTokenStatistics(const torch::Tensor& logits,
                                                             const torch::Tensor& targets, double temperature,
                                                             bool withEntropy);

} // namespace sparserl
