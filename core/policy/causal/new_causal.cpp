// SPDX-License-Identifier: Apache-2.0
#include "policy/causal/new_causal.h"

#include "policy/causal/causal_gguf_weights.h"
#include "policy/causal/causal_model.h"
#include "policy/files/weight_files.h"
#include "policy/tokenizer/chat_format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sparserl {

namespace {

Status checkEmbedding(const EmbeddingConfig& embedding)
{
    SPARSERL_CHECK(embedding.check());
    if (embedding.mode == EmbeddingMode::QuadtreeAttention)
        return fail("a causal model has no encoder, whose heads quadtree-attention needs",
                    "Use another embedding, such as quadtree");
    return {};
}

} // namespace

Result<std::shared_ptr<LanguageModel>> readCausal(const CausalConfig& config,
                                                  const EmbeddingConfig& embedding, ModelHead head,
                                                  const std::filesystem::path& weights)
{
    SPARSERL_CHECK(checkEmbedding(embedding));
    SPARSERL_TRY(const auto content, readSafeTensors(weights));
    CausalConfig least = config;
    if (head == ModelHead::Scalar) // it has no second matrix of the vocabulary
        least.tie_word_embeddings = true;
    SPARSERL_CHECK(checkEnoughWeights(least.leastWeights(), content, weights.string()));
    auto model = std::make_shared<CausalModel>(config, embedding, head);
    SPARSERL_CHECK(model->importTensors(content, weights.string()));
    return model;
}

namespace {

/// Root of the mean of squares, a few rows at a time: the embedding of tokens is the largest tensor.
double scaleOf(const torch::Tensor& words)
{
    constexpr std::int64_t piece = 4096;
    double sum = 0;
    for (std::int64_t at = 0; at < words.size(0); at += piece)
        sum += words.narrow(0, at, std::min(piece, words.size(0) - at))
                   .to(torch::kFloat32)
                   .square()
                   .sum()
                   .item<double>();
    return std::sqrt(sum / static_cast<double>(words.numel()));
}

/// A model of weights that were read, for a vocabulary of `tokens`.
Result<ImportedModel> complete(WeightFiles weights, CausalConfig config, int tokens,
                               const EmbeddingConfig& embedding, std::uint64_t seed)
{
    const std::string file = weights.file.string();
    SPARSERL_CHECK(checkEnoughWeights(config.leastWeights(), weights.content, file));
    ImportedModel imported;
    imported.files = weights.files;
    imported.untokened = config.vocab_size - tokens;
    for (const char* name : {"model.embed_tokens.weight", "lm_head.weight"}) {
        torch::Tensor* words = weights.find(name);
        const std::vector<std::int64_t> expected{config.vocab_size, config.hidden_size};
        if (words == nullptr)
            continue; // importTensors() says whether it is missing
        if (words->sizes() != expected)
            return failAt(file, 0,
                          fmt::format("tensor {} has shape [{}], the model's sizes ask for [{}]", name,
                                      fmt::join(words->sizes(), ", "), fmt::join(expected, ", ")),
                          "Check that weights and config.json belong together");
        if (imported.untokened > 0)
            *words = words->narrow(0, 0, tokens);
    }
    config.vocab_size = tokens;
    auto model = std::make_shared<CausalModel>(config, embedding, ModelHead::Vocabulary);
    // A trained model's words have another scale than it would draw; the matrix arrives at theirs.
    const torch::Tensor* words = weights.find("model.embed_tokens.weight");
    model->initialiseMatrix(seed, words == nullptr ? 1.0 : scaleOf(*words));
    for (const auto& [name, tensor] : model->parameters()) {
        if (!name.starts_with("matrix."))
            continue;
        weights.put(name, tensor);
        imported.newWeights += tensor.numel();
    }
    SPARSERL_CHECK(model->importTensors(weights.content, file));
    imported.model = std::move(model);
    return imported;
}

Status checkVocabulary(const CausalConfig& config, int tokens, const std::string& file)
{
    if (tokens > config.vocab_size)
        return failAt(
            file, 0,
            fmt::format("vocab_size is {}, but the tokenizer has {} tokens", config.vocab_size, tokens),
            "Take tokenizer and weights from the same model");
    return {};
}

} // namespace

Result<ImportedModel> importCausal(const std::filesystem::path& from, CausalConfig config, int tokens,
                                   const EmbeddingConfig& embedding, std::uint64_t seed,
                                   const CancelToken& cancel)
{
    const torch::NoGradGuard guard;
    SPARSERL_CHECK(checkEmbedding(embedding));
    SPARSERL_CHECK(checkVocabulary(config, tokens, (from / "config.json").string()));
    SPARSERL_TRY(auto weights, readWeightFiles(from, cancel));
    return complete(std::move(weights), std::move(config), tokens, embedding, seed);
}

Result<ImportedModel> importCausalGguf(const GgufFile& from, int tokens, const EmbeddingConfig& embedding,
                                       std::uint64_t seed, const CancelToken& cancel)
{
    const torch::NoGradGuard guard;
    SPARSERL_CHECK(checkEmbedding(embedding));
    SPARSERL_TRY(auto read, readCausalGguf(from, cancel));
    SPARSERL_TRY(const auto chat, chatTemplateOf(from.header()));
    read.config.passedOn.chatTemplate = chat.value_or(std::string());
    SPARSERL_CHECK(checkVocabulary(read.config, tokens, from.path().string()));
    return complete(std::move(read.weights), std::move(read.config), tokens, embedding, seed);
}

} // namespace sparserl
