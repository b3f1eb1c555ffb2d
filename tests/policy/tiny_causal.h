// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/json.h"
#include "base/rng.h"
#include "policy/causal/causal_model.h"
#include "policy/tokenizer/tokenizer.h"

#include <cmath>
#include <filesystem>
#include <string>

namespace sparserl::test {

/// The shape of a tiny model of a family for a vocabulary of bytes and `spare` rows that no token has.
inline CausalConfig tinyCausalConfig(const std::string& family, int spare = 0)
{
    CausalConfig config{.model_type = family,
                        .vocab_size = Tokenizer().vocabSize() + spare,
                        .hidden_size = 16,
                        .intermediate_size = 32,
                        .num_hidden_layers = 2,
                        .num_attention_heads = 4,
                        .num_key_value_heads = 2,
                        .head_dim = 8};
    config.biasOfQkv = family == "qwen2";
    config.normOfQueryAndKey = family == "qwen3";
    config.tie_word_embeddings = family == "qwen3";
    return config;
}

/// Its weights by Hugging Face's names, drawn from a seed, in `type`.
inline SafeTensors tinyCausalWeights(const CausalConfig& config, std::uint64_t seed,
                                     torch::ScalarType type = torch::kFloat32)
{
    SafeTensors content;
    const CausalModel shape(config, EmbeddingConfig{.mode = EmbeddingMode::Raw}, ModelHead::Vocabulary);
    for (const auto& [name, tensor] : shape.parameters()) {
        if (name.starts_with("matrix."))
            continue;
        Rng rng = Rng(seed).derive(name);
        torch::Tensor drawn = torch::empty(tensor.sizes());
        fillNormal(rng, drawn, tensor.dim() == 1 ? 0.2 : 1 / std::sqrt(double(tensor.size(1))));
        if (name.ends_with("norm.weight"))
            drawn += 1;
        content.tensors.emplace_back(name, drawn.to(type));
    }
    return content;
}

/// Writes them as a Hugging Face directory; false where that fails.
inline bool writeTinyCausal(const std::filesystem::path& folder, const CausalConfig& config,
                            const SafeTensors& weights)
{
    nlohmann::json json;
    writeCausalConfig(config, json);
    return makeDirectories(folder) && writeJson(folder / "config.json", json) &&
           Tokenizer().save(folder / "tokenizer.json") &&
           writeSafeTensors(folder / "model.safetensors", weights);
}

} // namespace sparserl::test
