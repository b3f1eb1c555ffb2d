// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/causal/causal_config.h"
#include "policy/torch.h"

namespace sparserl {

/// Rotary positions of a model: pairs (i, i + head_dim / 2) of a head are turned by position * frequency i.
class Rope
{
public:
    Rope() = default;
    /// In the same steps of single precision as Hugging Face's, whose models were trained with their
    /// roundings.
    explicit Rope(const CausalConfig& config);

    /// Cosines and sines [rows, head_dim / 2] for positions [rows] (int64), on their device.
    struct Angles
    {
        torch::Tensor cosines, sines;
    };
    Angles anglesOf(const torch::Tensor& positions) const;
    /// x [rows, heads, head_dim], turned. Differentiable.
    static torch::Tensor turned(const torch::Tensor& x, const Angles& angles);

private:
    torch::Tensor m_frequencies; ///< [head_dim / 2]
    double m_scale = 1;
};

} // namespace sparserl
