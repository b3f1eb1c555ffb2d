// SPDX-License-Identifier: Apache-2.0
#include "policy/causal/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace sparserl {

using torch::Tensor;

namespace {

/// YaRN's: dimensions that turn often over the first training's texts stay, those that turn less than once
/// are divided by the factor.
Tensor yarnFrequencies(const Tensor& powers, const RopeConfig& rope, int width)
{
    const auto dimensionOf = [&](double rotations) {
        return width * std::log(rope.originalPositions / (rotations * 2 * std::numbers::pi)) /
               (2 * std::log(rope.theta));
    };
    double low = dimensionOf(rope.betaFast), high = dimensionOf(rope.betaSlow);
    if (rope.truncate) {
        low = std::floor(low);
        high = std::ceil(high);
    }
    low = std::max(low, 0.0);
    high = std::min(high, width - 1.0);
    if (low == high)
        high += 0.001; // no division by 0
    const Tensor ramp = ((torch::arange(width / 2, torch::kFloat32) - low) / (high - low)).clamp(0, 1);
    const Tensor stays = 1 - ramp;
    return 1.0 / (rope.factor * powers) * (1 - stays) + 1.0 / powers * stays;
}

} // namespace

Rope::Rope(const CausalConfig& config)
    : m_neighbours(config.turnsNeighbours)
{
    const int width = config.turned();
    const RopeConfig& rope = config.rope;
    const Tensor powers =
        torch::pow(rope.theta, torch::arange(0, width, 2, torch::kInt64).to(torch::kFloat32) / width);
    m_frequencies = 1.0 / powers;
    switch (rope.scaling) {
    case RopeScaling::None:
        break;
    case RopeScaling::Linear:
        m_frequencies = m_frequencies / rope.factor;
        break;
    case RopeScaling::Llama3:
        for (float& frequency : std::span(m_frequencies.data_ptr<float>(), m_frequencies.numel()))
            frequency = llama3Frequency(frequency, rope);
        break;
    case RopeScaling::Yarn:
        m_frequencies = yarnFrequencies(powers, rope, width);
        m_scale = rope.attentionFactor;
        break;
    }
}

Rope::Angles Rope::anglesOf(const Tensor& positions) const
{
    const Tensor angles =
        positions.to(torch::kFloat32).unsqueeze(1) * m_frequencies.to(positions.device()).unsqueeze(0);
    return {angles.cos() * m_scale, angles.sin() * m_scale, m_neighbours};
}

Tensor Rope::turned(const Tensor& x, const Angles& angles)
{
    const Tensor c = angles.cosines.unsqueeze(1).to(x.scalar_type());
    const Tensor s = angles.sines.unsqueeze(1).to(x.scalar_type());
    const std::int64_t width = 2 * c.size(-1);
    const Tensor part = x.narrow(-1, 0, width), rest = x.narrow(-1, width, x.size(-1) - width);
    if (angles.neighbours) {
        const Tensor pairs = part.unflatten(-1, {-1, 2});
        const Tensor a = pairs.select(-1, 0), b = pairs.select(-1, 1);
        return torch::cat({torch::stack({a * c - b * s, b * c + a * s}, -1).flatten(-2), rest}, -1);
    }
    const auto halves = part.chunk(2, -1);
    return torch::cat({halves[0] * c - halves[1] * s, halves[1] * c + halves[0] * s, rest}, -1);
}

} // namespace sparserl
