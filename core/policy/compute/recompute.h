// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

#include <functional>
#include <vector>

namespace sparserl {

/// A function from tensors to a tensor. It must not capture tensors that need gradients, and must compute the
/// same result in every call.
using TensorFunction = std::function<torch::Tensor(const std::vector<torch::Tensor>&)>;

/// Returns function(inputs), and saves only the inputs for the backward pass, which calls the function again
/// (activation checkpointing, Chen et al. 2016). This does not change the gradients.
torch::Tensor recomputed(const TensorFunction& function, const std::vector<torch::Tensor>& inputs);

/// A function that computes the output of a layer from the weights of its block and from other tensors, the
/// first of which is its input. Block::tensors() must return the weights in a fixed order.
template <typename Block>
using LayerFunction = std::function<torch::Tensor(const Block&, const std::vector<torch::Tensor>&)>;

/// Returns layer(block, given). Calls it through recomputed() if `recompute` is set and gradients are
/// enabled.
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
