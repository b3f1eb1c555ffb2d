// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/t5/t5.h"

namespace sparserl {

/// The encoder and the decoder in LibTorch's operations, on any device, in fp32 or bf16: the GPU's
/// implementation. Linear layers use packed rows. Attention uses padded rows with T5's bias as the mask of
/// LibTorch's fused attention, so no array of probabilities is stored. Same shapes as T5Model::encodeEmbedded
/// and decode; `x` holds embedded positions. Uses the precision and `recompute` of `compute`.
torch::Tensor plainEncode(const T5Stack& stack, const T5Config& config, const torch::Tensor& x,
                          const Offsets& offsets, const Compute& compute, const TreeMask* tree = nullptr,
                          const GoesOn& goesOn = {});
torch::Tensor plainDecode(const T5Stack& stack, const T5Config& config, const torch::Tensor& x,
                          const Offsets& offsets, const EncoderOutput& encoded,
                          const std::vector<int>& inputOf, const Compute& compute);

/// A stack with its matrices converted to another precision in one copy; the rest is shared. Differentiable.
T5Stack inPrecision(const T5Stack& stack, torch::ScalarType precision);

/// T5's layer norm, returned in `precision`.
torch::Tensor plainNorm(const torch::Tensor& x, const torch::Tensor& weight, double epsilon,
                        torch::ScalarType precision);
/// residual + x W^T, where x and W have the layers' precision and the residual is fp32.
torch::Tensor plainProjected(const torch::Tensor& residual, const torch::Tensor& x,
                             const torch::Tensor& weight);
torch::Tensor plainFeedForward(const FeedForward& w, const torch::Tensor& x, const T5Config& config,
                               torch::ScalarType precision);

} // namespace sparserl
