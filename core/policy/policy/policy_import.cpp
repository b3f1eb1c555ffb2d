// SPDX-License-Identifier: Apache-2.0
#include "policy/policy/policy_import.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/interruption.h"
#include "base/json.h"
#include "policy/policy/policy.h"
#include "policy/t5/t5.h"
#include "policy/tokenizer/tokenizer_import.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace sparserl {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using torch::Tensor;

constexpr const char* weightsFile = "model.safetensors";
constexpr const char* indexFile = "model.safetensors.index.json";
constexpr const char* embeddingName = "shared.weight";
constexpr const char* headName = "lm_head.weight";
const std::string together = "Take all files from the same model";

bool fileExists(const fs::path& file)
{
    return glance(file).exists;
}

bool same(const Tensor& a, const Tensor& b)
{
    return a.sizes() == b.sizes() && torch::equal(a.to(torch::kFloat32), b.to(torch::kFloat32));
}

/// Weights and where they came from.
struct Weights
{
    SafeTensors content;
    fs::path file; ///< For sentences: the only file, or the index.
    int files = 0;

    Tensor* find(const std::string& name)
    {
        for (auto& [known, tensor] : content.tensors) {
            if (known == name)
                return &tensor;
        }
        return nullptr;
    }
    void put(const std::string& name, const Tensor& tensor)
    {
        if (Tensor* there = find(name))
            *there = tensor;
        else
            content.tensors.emplace_back(name, tensor);
    }
    void drop(const std::string& name)
    {
        std::erase_if(content.tensors, [&](const auto& entry) { return entry.first == name; });
    }
};

/// The shards that an index names, each read once; every tensor must be where the index says.
Result<Weights> readShards(const fs::path& directory, const CancelToken& cancel)
{
    Weights weights;
    weights.file = directory / indexFile;
    SPARSERL_TRY(const json index, readJson(weights.file));
    const auto wrong = [&](const std::string& what) {
        return failAt(weights.file.string(), 0, what, together);
    };
    const json map = index.is_object() ? index.value("weight_map", json()) : json();
    if (!map.is_object() || map.empty())
        return wrong("the index has no \"weight_map\" that says in which file each tensor is");
    std::map<std::string, std::set<std::string>> namesOf;
    for (const auto& [name, shard] : map.items()) {
        const std::string file = shard.is_string() ? shard.get<std::string>() : std::string();
        if (file.empty() || fs::path(file).filename() != fs::path(file) || file == "." || file == "..")
            return wrong(fmt::format("tensor {} is not in a file of this directory", name));
        namesOf[file].insert(name);
    }
    for (const auto& [file, names] : namesOf) {
        if (cancel.cancelled())
            return fail(interruption());
        if (!fileExists(directory / file))
            return wrong(fmt::format("the shard {} is missing", file));
        SPARSERL_TRY(auto content, readSafeTensors(directory / file));
        std::size_t found = 0;
        for (auto& [name, tensor] : content.tensors) {
            if (!names.contains(name))
                return failAt((directory / file).string(), 0,
                              fmt::format("tensor {} is not one that the index says is here", name),
                              together);
            ++found;
            weights.content.tensors.emplace_back(name, std::move(tensor));
        }
        if (found != names.size())
            return failAt((directory / file).string(), 0,
                          fmt::format("{} of {} tensors that the index says are here are missing",
                                      names.size() - found, names.size()),
                          together);
        ++weights.files;
    }
    return weights;
}

Result<Weights> readWeights(const fs::path& directory, const CancelToken& cancel)
{
    if (fileExists(directory / weightsFile)) {
        Weights weights;
        weights.file = directory / weightsFile;
        weights.files = 1;
        SPARSERL_TRY(weights.content, readSafeTensors(weights.file));
        return weights;
    }
    if (fileExists(directory / indexFile))
        return readShards(directory, cancel);
    for (const char* pickled : {"pytorch_model.bin", "pytorch_model.bin.index.json"}) {
        if (fileExists(directory / pickled))
            return failAt(
                (directory / pickled).string(), 0,
                "weights in a pickled file are not read, for reading one runs what is in it",
                "Convert them: T5ForConditionalGeneration.from_pretrained(DIR).save_pretrained(OTHER, "
                "safe_serialization=True) of Python's transformers");
    }
    return failAt(directory.string(), 0,
                  fmt::format("there are no weights: neither {} nor {}", weightsFile, indexFile),
                  "Give a Hugging Face directory with config.json, its weights and its tokenizer");
}

/// The shape of the model, and whether the head's input is scaled. transformers 5 writes the latter by itself
/// ("scale_decoder_outputs") and calls every model tied; before, only tied models scaled theirs.
struct Shape
{
    T5Config t5;
    bool tied = true; ///< As the file says.
    bool scaled = true;
    bool byItself = false; ///< The scale is in the file.
};

Result<Shape> readShape(const fs::path& file)
{
    SPARSERL_TRY(const json value, readJson(file));
    Shape shape;
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

/// Gives every model the tensors that ours has: an embedding and, unless it is both tied and scaled, a head.
Status settleHead(Weights& weights, Shape& shape)
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
Result<std::int64_t> settleRows(Weights& weights, const Shape& shape, const Tokenizer& tokenizer)
{
    const std::int64_t rows = shape.t5.vocab_size, tokens = tokenizer.vocabSize();
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

Result<PolicyImport> importPolicy(const fs::path& from, const fs::path& to,
                                  const PolicyImportOptions& options)
{
    const auto before = listDirectory(to);
    if (before ? !before->empty() : fileExists(to))
        return failAt(to.string(), 0, "there is something already", "Name a folder that is not there yet");
    const fs::path configFile = from / "config.json";
    if (!fileExists(configFile))
        return failAt(from.string(), 0, "this is not a model's directory: it has no config.json",
                      "Give a Hugging Face directory with config.json, model.safetensors and its tokenizer");
    SPARSERL_TRY(auto shape, readShape(configFile));
    SPARSERL_TRY(auto tokenizer, readHuggingFaceTokenizer(from));
    SPARSERL_TRY(auto weights, readWeights(from, options.cancel));
    if (options.cancel.cancelled())
        return fail(interruption());
    const std::string file = weights.file.string();
    for (const auto& [name, tensor] : weights.content.tensors) {
        if (!tensor.is_floating_point())
            return failAt(file, 0, "tensor " + name + " is not made of floating-point numbers",
                          "Quantised models are not read; take one in fp32, fp16 or bf16");
    }
    SPARSERL_CHECK(checkEnoughWeights(shape.t5, weights.content, file));
    SPARSERL_CHECK(settleHead(weights, shape));
    PolicyImport report;
    report.files = weights.files;
    SPARSERL_TRY(report.untokened, settleRows(weights, shape, tokenizer));

    shape.t5.vocab_size = tokenizer.vocabSize();
    SPARSERL_CHECK(shape.t5.check());
    SPARSERL_CHECK(options.embedding.check());
    auto model = std::make_shared<T5Model>(shape.t5, options.embedding, T5Head::Vocabulary);
    // As T5 draws them, matrix and tokens have the same scale; a trained embedding has another.
    const torch::NoGradGuard guard;
    const double scale =
        weights.find(embeddingName)->to(torch::kFloat32).square().mean().sqrt().item<double>();
    model->initialiseMatrix(options.seed, scale);
    for (const auto& [name, tensor] : model->parameters()) {
        if (!name.starts_with("matrix."))
            continue;
        weights.put(name, tensor.detach().clone());
        report.newWeights += tensor.numel();
    }
    SPARSERL_CHECK(model->importTensors(weights.content, file));
    PolicyConfig config;
    config.generation = {options.maxTokens, options.temperature};
    const auto policy = Policy::ofModel(std::move(config), std::move(tokenizer), std::move(model));
    if (options.cancel.cancelled())
        return fail(interruption());
    SPARSERL_CHECK(policy.save(to));
    report.vocabulary = policy.tokenizer().vocabSize();
    report.weights = policy.parameterCount();
    return report;
}

} // namespace sparserl
