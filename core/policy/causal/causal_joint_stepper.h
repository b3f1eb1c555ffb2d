// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/causal/causal_model.h"
#include "policy/causal/joined_linear.h"

#include <vector>

namespace sparserl {

/// Generates sequences that begin together, with LibTorch's operations and caches of fixed size. The rows of
/// each input end at the same place of the cache, so that token t of all sequences has the same place.
class CausalJointStepper : public JointStepper
{
public:
    CausalJointStepper(const CausalModel& model, const CausalInputs& inputs, const std::vector<int>& inputOf,
                       std::int64_t maxTokens);

    torch::Tensor first() override;
    torch::Tensor next(const torch::Tensor& tokens, const torch::Tensor& step, std::int64_t keys) override;
    void keep(const std::vector<std::int64_t>& rows) override;

    /// The place of the first token if the longest input has this many rows: a multiple of 16, because
    /// LibTorch's fast attention reads aligned masks.
    static std::int64_t placeOfTokens(std::int64_t longestInput) { return (longestInput + 15) / 16 * 16; }

private:
    struct Layer
    {
        torch::Tensor attentionNorm, feedNorm;    ///< Norms are in fp32.
        torch::Tensor queryNorm, keyNorm;         ///< May be undefined.
        torch::Tensor attendedNorm, fedNorm;      ///< May be undefined.
        JoinedLinear projections, out, feed, fed; ///< Queries, keys and values; gate and up.
        torch::Tensor keys, values;               ///< [rows, num_key_value_heads, capacity, head_dim]
    };
    /// What depends on a step only.
    struct Step
    {
        Rope::Angles angles;
        torch::Tensor wideCosines, wideSines; ///< [rows, 1, head_dim]; undefined if not used (rotated()).
        torch::Tensor place, mask;            ///< The new token's place; which places a row sees (attend()).
        std::int64_t seen = 0;                ///< Number of places that are read.
    };

    Layer layerOf(const CausalBlock& block, std::int64_t rows, std::int64_t capacity) const;
    void cacheInputs(const CausalInputs& inputs, const std::vector<int>& inputOf);
    static torch::Tensor rotated(const torch::Tensor& x, const Step& step);
    torch::Tensor attended(const Layer& layer, const torch::Tensor& x, const Step& step) const;

    const CausalModel& m_model;
    std::vector<Layer> m_layers;
    torch::Tensor m_head;   ///< [V, hidden_size], as headProduct() reads it.
    std::int64_t m_place;   ///< The place of the first token.
    torch::Tensor m_last;   ///< [rows, hidden_size]: hidden state of the last row of each sequence's input.
    torch::Tensor m_length; ///< int64 [rows]: number of rows of each sequence's input.
    torch::Tensor m_ramp;   ///< int64 [capacity]: 0, 1, 2, ...
};

} // namespace sparserl
