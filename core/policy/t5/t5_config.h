// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

namespace sparserl {

/// The shape of a T5 encoder-decoder. Members have the names of Hugging Face's config.json. The defaults are
/// those of the quickstart.
struct T5Config
{
    /// <pad>, the decoder's input before the first token.
    static constexpr std::int32_t startToken = 0;

    int vocab_size = 1000;
    int d_model = 128;
    int d_kv = 32; ///< Width of one head; num_heads * d_kv may differ from d_model.
    int d_ff = 384;
    int num_layers = 3;
    int num_decoder_layers = 3;
    int num_heads = 4;
    int relative_attention_num_buckets = 32;
    int relative_attention_max_distance = 128;
    double layer_norm_epsilon = 1e-6;
    double initializer_factor = 1.0;
    bool gated = false; ///< feed_forward_proj is "gated-gelu" (T5 v1.1) instead of "relu" (v1.0).
    /// The head uses the weights of the embedding, and its input is scaled by d_model^-0.5.
    bool tie_word_embeddings = true;

    Status check() const;
    /// Returns the least number of weights of such a model, to detect sizes that are too large for a file.
    double leastWeights() const;
};
/// Adds the keys of Hugging Face's config.json to `json`.
void writeT5Config(const T5Config& config, nlohmann::json& json);
Result<T5Config> t5ConfigFromJson(const nlohmann::json& json);

} // namespace sparserl
