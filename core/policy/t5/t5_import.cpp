// SPDX-License-Identifier: Apache-2.0
#include "policy/t5/t5_import.h"

#include "base/json.h"
#include "policy/files/weight_files.h"
#include "policy/t5/t5.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sparserl {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using torch::Tensor;

constexpr const char* embeddingName = "shared.weight";
constexpr const char* headName = "lm_head.weight";
const std::string together = "Take all files from the same model";

bool same(const Tensor& a, const Tensor& b)
{
    return a.sizes() == b.sizes() && torch::equal(a.to(torch::kFloat32), b.to(torch::kFloat32));
}

/// Gives every model the tensors that ours has: an embedding and, unless it is both tied and scaled, a head.
Status settleHead(WeightFiles& weights, T5Shape& shape)
{
    const auto fail = [&](const std::string& what, const std::string& remedy) {
        return failAt(weights.file.string(), 0, what, remedy);
    };
    // Which of the names of the one embedding a file has depends on who wrote it.
    for (const char* name : {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight"}) {
        const Tensor* copy = weights.find(name);
        if (copy == nullptr)
            continue;
        if (const Tensor* shared = weights.find(embeddingName); shared == nullptr)
            weights.put(embeddingName, Tensor(*copy));
        else if (!same(*shared, *copy))
            return fail(fmt::format("{} differs from {}, and T5 has one embedding", name, embeddingName),
                        together);
        weights.drop(name);
    }
    // Of T5's first checkpoints; no model has ever used it.
    weights.drop("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight");
    const Tensor* shared = weights.find(embeddingName);
    if (shared == nullptr)
        return fail(fmt::format("tensor {} is missing", embeddingName), together);
    Tensor* head = weights.find(headName);
    const bool ownHead = head != nullptr && !same(*head, *shared);
    if (ownHead && shape.tied && !shape.byItself)
        return fail(
            fmt::format("{} differs from {}, although config.json ties the two", headName, embeddingName),
            "Set \"tie_word_embeddings\" in config.json to false if the head is one of its own, or leave "
            "it out of the weights");
    if (head == nullptr && !shape.tied)
        return fail(
            fmt::format("tensor {} is missing, and config.json does not tie it to the embedding", headName),
            together);
    shape.t5.tie_word_embeddings = shape.scaled && !ownHead;
    if (shape.t5.tie_word_embeddings)
        weights.drop(headName);
    else if (!ownHead)
        weights.put(headName, shared->clone());
    else if (shape.scaled) // (s h) W^T = h (s W)^T
        *head = head->to(torch::kFloat32) / std::sqrt(double(shape.t5.d_model));
    return {};
}

/// The embedding has at least a row for each token; rows without a token can never be meant and are left out.
Result<std::int64_t> settleRows(WeightFiles& weights, const T5Shape& shape, std::int64_t tokens)
{
    const std::int64_t rows = shape.t5.vocab_size;
    if (tokens > rows)
        return failAt(
            weights.file.string(), 0,
            fmt::format("vocab_size is {} in config.json, but the tokenizer has {} tokens", rows, tokens),
            "Take tokenizer and weights from the same model");
    for (const char* name : {embeddingName, headName}) {
        Tensor* tensor = weights.find(name);
        if (tensor == nullptr)
            continue;
        const std::vector<std::int64_t> expected{rows, shape.t5.d_model};
        if (tensor->sizes() != expected)
            return failAt(weights.file.string(), 0,
                          fmt::format("tensor {} has shape [{}], config.json asks for [{}]", name,
                                      fmt::join(tensor->sizes(), ", "), fmt::join(expected, ", ")),
                          "Check that weights and config.json belong together");
        *tensor = tensor->narrow(0, 0, tokens);
    }
    return rows - tokens;
}

} // namespace

Result<T5Shape> readT5Shape(const fs::path& file)
{
    SPARSERL_TRY(const json value, readJson(file));
    T5Shape shape;
    const auto config = t5ConfigFromJson(value);
    if (!config)
        return failAt(file.string(), 0, config.error().what, config.error().remedy);
    if (value.contains("sparserl"))
        return failAt(file.string(), 0, "this is a policy already", "Give it as the parent of a run");
    shape.t5 = *config;
    shape.tied = shape.scaled = config->tie_word_embeddings;
    if (const auto found = value.find("scale_decoder_outputs"); found != value.end()) {
        if (!found->is_boolean())
            return failAt(file.string(), 0, "\"scale_decoder_outputs\" is neither true nor false", together);
        shape.byItself = true;
        shape.scaled = found->get<bool>();
    }
    return shape;
}

Result<ImportedModel> importT5(const fs::path& from, T5Shape shape, int tokens,
                               const EmbeddingConfig& embedding, std::uint64_t seed,
                               const CancelToken& cancel)
{
    SPARSERL_TRY(auto weights, readWeightFiles(from, cancel));
    const std::string file = weights.file.string();
    SPARSERL_CHECK(checkEnoughWeights(shape.t5.leastWeights(), weights.content, file));
    SPARSERL_CHECK(settleHead(weights, shape));
    ImportedModel imported;
    imported.files = weights.files;
    SPARSERL_TRY(imported.untokened, settleRows(weights, shape, tokens));

    shape.t5.vocab_size = tokens;
    SPARSERL_CHECK(shape.t5.check());
    SPARSERL_CHECK(embedding.check());
    auto model = std::make_shared<T5Model>(shape.t5, embedding, ModelHead::Vocabulary);
    // As T5 draws them, matrix and tokens have the same scale; a trained embedding has another.
    const torch::NoGradGuard guard;
    const double scale =
        weights.find(embeddingName)->to(torch::kFloat32).square().mean().sqrt().item<double>();
    model->initialiseMatrix(seed, scale);
    for (const auto& [name, tensor] : model->parameters()) {
        if (!name.starts_with("matrix."))
            continue;
        weights.put(name, tensor.detach().clone());
        imported.newWeights += tensor.numel();
    }
    SPARSERL_CHECK(model->importTensors(weights.content, file));
    imported.model = std::move(model);
    return imported;
}

} // namespace sparserl
