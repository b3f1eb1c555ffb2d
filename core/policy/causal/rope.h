// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/causal/causal_config.h"
#include "policy/torch.h"

namespace sparserl {

/// Applies rotary positions: rotates pair i of the first CausalConfig::turned() numbers of a head by the
/// angle position * frequency i.
class Rope
{
public:
    Rope() = default;
    /// Computes the frequencies with the same steps in single precision as Hugging Face, because models were
    /// trained with this rounding.
    explicit Rope(const CausalConfig& config);

    /// The cosines and sines [rows, turned() / 2] for positions [rows] (int64), on the device of the
    /// positions.
    struct Angles
    {
        torch::Tensor cosines, sines;
        bool neighbours = false; ///< CausalConfig::turnsNeighbours
    };
    Angles anglesOf(const torch::Tensor& positions) const;
    /// Keeps the frequencies on a device, so that anglesOf() need not copy them there.
    void moveTo(torch::Device device) { m_frequencies = m_frequencies.to(device); }
    /// Returns x [rows, heads, head_dim] rotated. Differentiable.
    static torch::Tensor turned(const torch::Tensor& x, const Angles& angles);

private:
    torch::Tensor m_frequencies; ///< [turned() / 2]
    double m_scale = 1;
    bool m_neighbours = false;
};

} // namespace sparserl
