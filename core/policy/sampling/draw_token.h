// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

namespace sparserl {

/// Draws a column for each row with a probability proportional to its weight. Returns the first column up to
/// which the weights, which are added in double precision, have a sum above uniform * total. `weights` is
/// [rows, V], not negative, in fp32 or fp64; `uniform` is [rows] in fp64, in [0, 1). The result is int64
/// [rows]. No operation waits for the device.
torch::Tensor drawColumns(const torch::Tensor& weights, const torch::Tensor& uniform);

} // namespace sparserl
