// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/causal/causal_model.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// Linear layers that read the same input, prepared for many small batches: adapters are scaled once, and
/// layers can be joined to one product.
class JoinedLinear
{
public:
    JoinedLinear() = default;
    /// Prepares `layers` in a precision; tensors that have it are shared. With `join`, the weights are copied
    /// to one matrix, so there is one product instead of one for each layer. `scale` is LoraConfig::scale().
    JoinedLinear(const std::vector<const CausalLinear*>& layers, double scale, torch::ScalarType precision,
                 bool join);

    /// Returns the outputs [rows, all outputs] of the layers side by side.
    torch::Tensor operator()(const torch::Tensor& x) const;

private:
    /// A product; `down` and `up` are undefined without adapters. Matrices are [outputs, inputs].
    struct Part
    {
        torch::Tensor weight, bias, down, up;
    };
    std::vector<Part> m_parts;
};

} // namespace sparserl
