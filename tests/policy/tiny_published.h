// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"
#include "policy/tokenizer/tokenizer_gguf.h"
#include "tests/policy/tiny_causal.h"

namespace sparserl::test {

inline std::string publishedFixture(const std::string& name)
{
    return std::string(SPARSERL_SOURCE_DIR "/tests/policy/fixtures/") + name;
}

/// A tokenizer with the rules of a published one: by their name in GGUF files, which has no tokens of a chat
/// format, or "published/NAME", which has those of ChatML.
inline Tokenizer publishedTokenizer(const std::string& rules)
{
    if (rules.starts_with("published/")) {
        auto whole = Tokenizer::load(publishedFixture(rules + ".json"));
        if (!whole)
            qFatal("%s", whole.error().sentence().c_str());
        whole->setEnd(whole->addedToken("<|im_end|>").value());
        return std::move(*whole);
    }
    auto tokenizer = readTokenizer(publishedFixture("gguf/tokenizers/" + rules + ".gguf"));
    if (!tokenizer)
        qFatal("%s", tokenizer.error().sentence().c_str());
    return std::move(*tokenizer);
}

/// A tiny policy of a shape, whose vocabulary is that of `rules`.
inline Policy policyOf(CausalConfig config, const char* rules, torch::ScalarType type = torch::kFloat32)
{
    Tokenizer tokenizer = publishedTokenizer(rules);
    config.vocab_size = tokenizer.vocabSize();
    auto model = std::make_shared<CausalModel>(config, EmbeddingConfig{.mode = EmbeddingMode::Raw},
                                               ModelHead::Vocabulary);
    model->initialiseMatrix(5, 1.0);
    SafeTensors weights = tinyCausalWeights(config, 3, type);
    for (const auto& [name, tensor] : model->parameters()) {
        if (name.starts_with("matrix."))
            weights.tensors.emplace_back(name, tensor);
    }
    if (const auto status = model->importTensors(weights, "tiny"); !status)
        qFatal("%s", status.error().sentence().c_str());
    return Policy::ofModel({}, std::move(tokenizer), model);
}

/// A shape whose rows fill blocks of 32 numbers.
inline CausalConfig wideConfig(const std::string& family)
{
    CausalConfig config = tinyCausalConfig(family);
    config.hidden_size = 64;
    config.intermediate_size = 48;
    config.head_dim = 16;
    config.max_position_embeddings = 512;
    config.rms_norm_eps = 1e-5;
    return config;
}

/// Shapes by the names of what is special in them: "llama", "biases", "llama3", "linear", "qwen2", "yarn",
/// "qwen3", "glm4".
inline CausalConfig shapeNamed(const std::string& shape)
{
    CausalConfig config = wideConfig(shape.starts_with("qwen") || shape == "glm4" ? shape
                                     : shape == "yarn"                            ? "qwen2"
                                                                                  : "llama");
    config.biasOfQkv = config.biasOfQkv || shape == "biases";
    config.biasOfOutput = config.biasOfMlp = shape == "biases";
    if (shape == "llama3")
        config.rope = {
            .theta = 500000, .scaling = RopeScaling::Llama3, .factor = 8, .originalPositions = 8192};
    if (shape == "linear")
        config.rope = {.scaling = RopeScaling::Linear, .factor = 4, .originalPositions = 512};
    if (shape == "yarn")
        config.rope = {.scaling = RopeScaling::Yarn,
                       .factor = 4,
                       .originalPositions = 128,
                       .attentionFactor = 0.1 * std::log(4.0) + 1};
    return config;
}

inline const CausalModel& causalOf(const Policy& policy)
{
    return dynamic_cast<const CausalModel&>(policy.model());
}

} // namespace sparserl::test
