// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"

#include <QtGlobal>
#include <cstdint>
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

} // namespace sparserl::test
