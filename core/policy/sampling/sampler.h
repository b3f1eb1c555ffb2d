// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "policy/sampling/sampling.h"

#include <vector>

namespace sparserl {

struct Draw
{
    std::int32_t token = 0;
    float logProb = 0;          ///< Full softmax at the temperature.
    float behaviourLogProb = 0; ///< Of the distribution drawn from.
};

/// Draws tokens from logits as SamplingOptions say. One per thread: it keeps buffers.
class TokenSampler
{
public:
    /// logits [n]. Draws at most one number from `rng`.
    Draw draw(const float* logits, int n, const SamplingOptions& options, Rng& rng);

private:
    void truncate(const SamplingOptions& options);

    std::vector<float> m_exps, m_broad;
    std::vector<double> m_behaviour; ///< Probabilities drawn from.
    std::vector<int> m_order;
};

} // namespace sparserl
