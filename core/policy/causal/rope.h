// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/causal/causal_config.h"
#include "policy/torch.h"

namespace sparserl {

/// Rotary positions: rotates the pairs (i, i + head_dim / 2) of a head by position * frequency i.
class Rope
{
public:
    Rope() = default;
    /// Uses the same single-precision steps as Hugging Face, because models were trained with these
    /// roundings.
    explicit Rope(const CausalConfig& config);

    /// Cosines and sines [rows, head_dim / 2] for positions [rows] (int64), on the same device.
    struct Angles
    {
        torch::Tensor cosines, sines;
    };
    Angles anglesOf(const torch::Tensor& positions) const;
    /// Rotates x [rows, heads, head_dim]. Differentiable.
    static torch::Tensor turned(const torch::Tensor& x, const Angles& angles);

private:
    torch::Tensor m_frequencies; ///< [head_dim / 2]
    double m_scale = 1;
};

} // namespace sparserl
