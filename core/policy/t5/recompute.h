// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/t5/t5.h"

#include <functional>
#include <vector>

namespace sparserl {

/// A tensor of tensors. What it reaches besides its arguments must not be differentiable, and it must compute
/// the same whenever it is called.
using TensorFunction = std::function<torch::Tensor(const std::vector<torch::Tensor>&)>;

/// function(inputs), of which only the inputs are kept for the way back, where the function is called again
/// (activation checkpointing, Chen et al. 2016). Gradients are those without it.
torch::Tensor recomputed(const TensorFunction& function, const std::vector<torch::Tensor>& inputs);

/// What a layer makes of its block's weights and of other tensors, of which the first is its input.
using LayerFunction = std::function<torch::Tensor(const T5Block&, const std::vector<torch::Tensor>&)>;

/// layer(block, given), recomputed() where `recompute` is set and gradients are asked for.
torch::Tensor throughLayer(const LayerFunction& layer, const T5Block& block,
                           const std::vector<torch::Tensor>& given, bool recompute);

} // namespace sparserl
