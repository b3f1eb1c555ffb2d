// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"
#include "tests/policy/tiny_causal.h"

#include <QtGlobal>
#include <cstdint>
#include <string_view>
#include <utility>

namespace sparserl::test {

/// As small as a policy can be, with the tokenizer of plain bytes.
inline Policy tinyPolicy(std::uint64_t seed, int longest = 40)
{
    T5Config shape;
    PolicyConfig config;
    shape.d_model = 16;
    shape.d_kv = 8;
    shape.d_ff = 32;
    shape.num_layers = 1;
    shape.num_decoder_layers = 1;
    shape.num_heads = 2;
    config.embedding.maxEntries = 8;
    config.embedding.peDim = 8;
    config.generation.maxTokens = longest;
    Tokenizer tokenizer;
    shape.vocab_size = tokenizer.vocabSize();
    auto policy = Policy::create(config, shape, tokenizer, seed);
    if (!policy)
        qFatal("%s", policy.error().sentence().c_str());
    return std::move(*policy);
}

/// The kinds of policies that training must give the same numbers with: one of ours, and a causal model of
/// which all weights learn, or only adapters on weights in bf16.
inline constexpr const char* policyKinds[] = {"t5", "causal", "lora"};

inline Policy tinyPolicyOf(std::string_view kind, std::uint64_t seed)
{
    if (kind == "t5")
        return tinyPolicy(seed);
    auto policy = kind == "lora" ? tinyCausalPolicy("qwen2", true, seed, torch::kBFloat16)
                                 : tinyCausalPolicy("qwen3", false, seed);
    policy.learn();
    return policy;
}

} // namespace sparserl::test
