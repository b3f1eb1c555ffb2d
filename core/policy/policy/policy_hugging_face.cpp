// SPDX-License-Identifier: Apache-2.0
#include "policy/policy/policy_hugging_face.h"

#include "base/files.h"
#include "policy/causal/causal_model.h"
#include "policy/policy/new_directory.h"
#include "policy/policy/policy_adapters.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace sparserl {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// The type in which transformers keeps all weights: one that holds each of them exactly.
const char* typeOf(const SafeTensors& weights)
{
    const auto all = [&](torch::ScalarType type) {
        return std::ranges::all_of(weights.tensors,
                                   [&](const auto& one) { return one.second.scalar_type() == type; });
    };
    return all(torch::kBFloat16) ? "bfloat16" : all(torch::kFloat16) ? "float16" : "float32";
}

json configOf(const CausalConfig& config, const Tokenizer& tokenizer, const SafeTensors& weights)
{
    json value = json::object();
    writeCausalConfig(config, value);
    value.erase("sparserl");
    value["torch_dtype"] = typeOf(weights);
    if (config.model_type == "glm4") // else transformers takes the number that the published models have
        value["pad_token_id"] = json();
    value["eos_token_id"] = tokenizer.end();
    value["bos_token_id"] = tokenizer.begin() < 0 ? json() : json(tokenizer.begin());
    return value;
}

/// tokenizer.json as `tokenizers` reads it with the same numbers. It takes the number of an added token from
/// the vocabulary, or counts on behind it: those with lower numbers, as GGUF files have them, have to stand
/// in the vocabulary, too.
json tokenizerOf(const Tokenizer& tokenizer)
{
    json file = tokenizer.toJson();
    json& vocabulary = file["model"]["vocab"];
    std::int64_t behind = 0;
    for (const auto& [text, id] : vocabulary.items())
        behind = std::max(behind, id.get<std::int64_t>() + 1);
    for (const json& token : file["added_tokens"]) {
        if (token["id"].get<std::int64_t>() < behind)
            vocabulary[token["content"].get<std::string>()] = token["id"];
    }
    return file;
}

/// The name of an added token; null if the token is none.
json nameOf(const json& tokenizer, std::int32_t id)
{
    for (const json& token : tokenizer["added_tokens"]) {
        if (token["id"] == id)
            return token["content"];
    }
    return {};
}

json tokenizerConfigOf(const CausalConfig& config, const Tokenizer& tokenizer, const json& file)
{
    json value = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                  {"clean_up_tokenization_spaces", false},
                  {"model_max_length", config.max_position_embeddings},
                  {"add_bos_token", tokenizer.begin() >= 0}};
    // Without a name, config.json alone says which token it is.
    if (const json end = nameOf(file, tokenizer.end()); !end.is_null())
        value["eos_token"] = end;
    if (const json begin = nameOf(file, tokenizer.begin()); !begin.is_null())
        value["bos_token"] = begin;
    if (!config.passedOn.chatTemplate.empty())
        value["chat_template"] = config.passedOn.chatTemplate;
    return value;
}

} // namespace

Status writeHuggingFace(const Policy& policy, const fs::path& directory)
{
    const torch::NoGradGuard guard;
    const auto* model = dynamic_cast<const CausalModel*>(&policy.model());
    if (model == nullptr)
        return fail("the policy is a T5 with a matrix embedding, which transformers does not have",
                    "Export a policy that comes from a llama, qwen2, qwen3 or glm4");
    if (model->config().lora.any()) {
        SPARSERL_TRY(const Policy merged, mergedPolicy(policy));
        return writeHuggingFace(merged, directory);
    }
    const CausalConfig& config = model->config();
    SafeTensors weights = model->exportTensors();
    std::erase_if(weights.tensors, [](const auto& one) { return one.first.starts_with("matrix."); });
    return writeNewDirectory(directory, [&](const fs::path& into) -> Status {
        const Tokenizer& tokenizer = policy.tokenizer();
        const json file = tokenizerOf(tokenizer);
        const auto put = [&](const char* name, const json& value) {
            return writeFileAtomic(into / name, value.dump(2) + "\n");
        };
        SPARSERL_CHECK(writeSafeTensors(into / "model.safetensors", weights));
        SPARSERL_CHECK(put("config.json", configOf(config, tokenizer, weights)));
        SPARSERL_CHECK(put("tokenizer.json", file));
        SPARSERL_CHECK(put("tokenizer_config.json", tokenizerConfigOf(config, tokenizer, file)));
        if (config.passedOn.generationConfig.empty())
            return {};
        return put("generation_config.json", json::parse(config.passedOn.generationConfig));
    });
}

} // namespace sparserl
