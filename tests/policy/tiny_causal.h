// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/json.h"
#include "base/rng.h"
#include "policy/causal/causal_model.h"
#include "policy/policy/policy_adapters.h"
#include "policy/tokenizer/tokenizer.h"

#include <QtGlobal>
#include <cmath>
#include <filesystem>
#include <memory>
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
    config.biasOfQkv = family == "qwen2" || family == "glm4";
    if (family == "glm4") {
        config.partial_rotary_factor = 0.5;
        config.turnsNeighbours = config.normOfResults = config.gateBesideUp = true;
    }
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

/// A tiny policy of a family, far from uniform, with weights in `type`. `seed` draws them or, where it is
/// `adapted`, the adapters, which are far from zero, over weights that are always the same.
inline Policy tinyCausalPolicy(const std::string& family, bool adapted, std::uint64_t seed,
                               torch::ScalarType type = torch::kFloat32)
{
    const CausalConfig config = tinyCausalConfig(family);
    auto model = std::make_shared<CausalModel>(
        config, EmbeddingConfig{.maxEntries = 20, .peDim = 8, .featureTokens = 2}, ModelHead::Vocabulary);
    SafeTensors weights = tinyCausalWeights(config, adapted ? 3 : seed, type);
    model->initialiseMatrix(5, 1.0);
    for (const auto& [name, tensor] : model->parameters()) {
        if (name.starts_with("matrix."))
            weights.tensors.emplace_back(name, tensor);
    }
    if (const auto status = model->importTensors(weights, "tiny"); !status)
        qFatal("%s", status.error().sentence().c_str());
    const Policy base = Policy::ofModel({}, Tokenizer(), model);
    if (!adapted)
        return base;
    auto policy = withAdapters(base, {.rank = 3, .alpha = 6, .targets = {"q_proj", "down_proj"}}, seed);
    if (!policy)
        qFatal("%s", policy.error().sentence().c_str());
    Rng rng(seed + 1);
    for (const auto& [name, tensor] : policy->parameters()) {
        if (name.ends_with("lora_B.weight"))
            fillNormal(rng, tensor, 0.2);
    }
    return std::move(*policy);
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
