// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/t5/t5.h"

namespace sparserl {

/// Apply the encoder and the decoder with LibTorch's operations, on any device, in fp32 or bf16. GPUs use
/// these implementations. Linear layers work on packed rows. Attention works on padded rows, with T5's bias
/// as the mask of LibTorch's fused attention, so that no array of probabilities is stored. `x` holds embedded
/// positions; the shapes are those of T5Model::encodeEmbedded() and T5Model::decode(). `compute` gives the
/// precision and `recompute`.
torch::Tensor plainEncode(const T5Stack& stack, const T5Config& config, const torch::Tensor& x,
                          const Offsets& offsets, const Compute& compute, const TreeMask* tree = nullptr,
                          const GoesOn& goesOn = {});
torch::Tensor plainDecode(const T5Stack& stack, const T5Config& config, const torch::Tensor& x,
                          const Offsets& offsets, const EncoderOutput& encoded,
                          const std::vector<int>& inputOf, const Compute& compute);

/// Returns a stack whose matrices are converted to another precision. All other tensors are shared.
/// Differentiable.
T5Stack inPrecision(const T5Stack& stack, torch::ScalarType precision);

/// Returns T5's layer norm of x in `precision`.
torch::Tensor plainNorm(const torch::Tensor& x, const torch::Tensor& weight, double epsilon,
                        torch::ScalarType precision);
/// Returns residual + x W^T, where x and W have the precision of the layers and the residual is fp32.
torch::Tensor plainProjected(const torch::Tensor& residual, const torch::Tensor& x,
                             const torch::Tensor& weight);
torch::Tensor plainFeedForward(const FeedForward& w, const torch::Tensor& x, const T5Config& config,
                               torch::ScalarType precision);

} // namespace sparserl
