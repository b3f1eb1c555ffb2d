// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

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
/// Block::tensors() gives the weights in an order.
template <typename Block>
using LayerFunction = std::function<torch::Tensor(const Block&, const std::vector<torch::Tensor>&)>;

/// layer(block, given), recomputed() where `recompute` is set and gradients are asked for.
template <typename Block>
torch::Tensor throughLayer(const LayerFunction<Block>& layer, const Block& block,
                           const std::vector<torch::Tensor>& given, bool recompute)
{
    if (!recompute || !at::GradMode::is_enabled())
        return layer(block, given);
    Block copy = block;
    std::vector<torch::Tensor> inputs = given;
    for (const torch::Tensor* weight : copy.tensors())
        inputs.push_back(*weight);
    const auto again = [layer, copy, count = given.size()](const std::vector<torch::Tensor>& all) {
        Block own = copy;
        std::size_t at = count;
        for (torch::Tensor* place : own.tensors())
            *place = all[at++];
        return layer(own, {all.begin(), all.begin() + std::ptrdiff_t(count)});
    };
    return recomputed(again, inputs);
}

} // namespace sparserl
