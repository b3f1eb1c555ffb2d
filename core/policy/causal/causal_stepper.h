// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/causal/causal_model.h"

#include <memory>
#include <vector>

namespace sparserl {

/// Generates several sequences at a time, token by token. Each sequence occupies a place, which has its own
/// length and its own cache of keys and values. The cache begins with the rows of the input.
class CausalStepper : public Stepper
{
public:
    CausalStepper(const CausalModel& model, std::shared_ptr<const CausalInputs> inputs, int places,
                  int maxTokens);

    void start(int place, int input, std::span<const std::int32_t> prefix) override;
    void regroup(std::span<const int> from) override;
    void step(std::span<const int> places, std::span<const std::int32_t> tokens,
              const std::function<void(std::size_t i, const float* logits)>& consume) override;

private:
    /// Reads one more token at each of n places, and returns the hidden states [n, hidden_size] after it.
    torch::Tensor advance(const std::vector<int>& places, const std::vector<std::int64_t>& tokens);

    const CausalModel& m_model;
    std::shared_ptr<const CausalInputs> m_inputs;
    torch::Tensor m_head;               ///< [V, hidden_size], as headProduct() reads it
    std::vector<KeyValue> m_cache;      ///< By layer, [places, capacity, num_key_value_heads, head_dim]
    std::vector<std::int64_t> m_length; ///< Number of rows that each place has read.
    std::vector<torch::Tensor>
        m_fresh; ///< [hidden_size] for a place that has not sampled a token yet, otherwise undefined.
};

} // namespace sparserl
