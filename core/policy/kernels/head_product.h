// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

namespace sparserl {

/// Returns the weight [V, width] of a last layer in the form that headProduct() reads: on a GPU, a frozen
/// weight in bf16 stays as it is; every other weight is converted to fp32.
torch::Tensor headOperand(const torch::Tensor& weight);

/// Returns hidden weight^T [rows, V] in fp32, for `hidden` [rows, width] in fp32. If the weight is in bf16,
/// `hidden` is split into the sum of two bf16 matrices, so that the product of 16-bit numbers with sums in
/// fp32 can be used twice. This is many times as fast as a product in fp32, needs no copy of the weight, and
/// has a relative error of about 2^-17. The gradient with respect to `hidden` is computed in the same way; a
/// weight in bf16 gets no gradient.
torch::Tensor headProduct(const torch::Tensor& hidden, const torch::Tensor& weight);

} // namespace sparserl
