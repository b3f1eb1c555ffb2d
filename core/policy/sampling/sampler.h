// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "policy/sampling/sampling.h"

#include <vector>

namespace sparserl {

struct Draw
{
    std::int32_t token = 0;
    float logProb = 0;          ///< Under the full softmax at the temperature.
    float behaviourLogProb = 0; ///< Under the distribution drawn from.
};

/// Draws tokens from logits according to SamplingOptions. Use one per thread, because it keeps buffers.
class TokenSampler
{
public:
    /// logits [n]. Uses at most one number from `rng`.
    Draw draw(const float* logits, int n, const SamplingOptions& options, Rng& rng);

private:
    void truncate(const SamplingOptions& options);

    std::vector<float> m_exps, m_broad;
    std::vector<double> m_behaviour; ///< Probabilities of the distribution drawn from.
    std::vector<int> m_order;
};

} // namespace sparserl
