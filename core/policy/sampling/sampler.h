// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "policy/sampling/sampling.h"

#include <vector>

namespace sparserl {

struct Draw
{
    std::int32_t token = 0;
    float logProb = 0;          ///< Log-probability under the full softmax at the temperature.
    float behaviourLogProb = 0; ///< Log-probability under the distribution from which the token was drawn.
};

/// Draws tokens from logits according to SamplingOptions. It keeps buffers, so each thread needs its own.
class TokenSampler
{
public:
    /// Draws a token from the logits [n]. Takes at most one number from `rng`.
    Draw draw(const float* logits, int n, const SamplingOptions& options, Rng& rng);

private:
    void truncate(const SamplingOptions& options);

    std::vector<float> m_exps, m_broad;
    std::vector<double> m_behaviour; ///< Probabilities of the distribution from which the token is drawn.
    std::vector<int> m_order;
};

} // namespace sparserl
