// SPDX-License-Identifier: Apache-2.0
#include "project/queries/policy_facts.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/json.h"
#include "base/licence_files.h"
#include "base/mapped_file.h"
#include "base/printable.h"
#include "base/safetensors_header.h"

#include <cstddef>
#include <string_view>
#include <utility>

namespace sparserl {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::size_t mostConfig = 8 << 20, mostLicence = 256 << 10;
constexpr std::int64_t mostNumber = std::int64_t(1) << 24; ///< Of a size in config.json.

std::int64_t sizeIn(const json& config, const char* key, std::int64_t otherwise = 0)
{
    const auto value = jsonValue<std::int64_t>(config, key, otherwise);
    return value >= 0 && value <= mostNumber ? value : 0;
}

void readShape(const json& config, PolicyFacts& facts)
{
    facts.family = jsonValue(config, "model_type", std::string("t5"));
    facts.vocabulary = sizeIn(config, "vocab_size");
    if (facts.family == "t5") {
        const std::int64_t encoder = sizeIn(config, "num_layers", 6);
        facts.layers = encoder + sizeIn(config, "num_decoder_layers", encoder);
        facts.width = sizeIn(config, "d_model");
        facts.queries = facts.keys = sizeIn(config, "num_heads", 8) * sizeIn(config, "d_kv", 64);
        facts.inner = sizeIn(config, "d_ff");
        return;
    }
    const std::int64_t heads = sizeIn(config, "num_attention_heads");
    facts.layers = sizeIn(config, "num_hidden_layers");
    facts.width = sizeIn(config, "hidden_size");
    const std::int64_t head = sizeIn(config, "head_dim", heads > 0 ? facts.width / heads : 0);
    facts.queries = heads * head;
    facts.keys = sizeIn(config, "num_key_value_heads", heads) * head;
    facts.inner = sizeIn(config, "intermediate_size");
}

void readOwn(const json& own, PolicyFacts& facts)
{
    const auto part = [&](const char* key) {
        return own.is_object() && own.contains(key) ? own[key] : json::object();
    };
    facts.maxTokens = jsonValue(part("generation"), "max_tokens", 0);
    facts.textEntries = jsonValue(own, "text_entries", 0);
    facts.maxEntries = facts.textEntries > 0 ? 0 : jsonValue(part("embedding"), "max_entries", 0);
    facts.chat = jsonValue(own, "chat", std::string());
    const json lora = part("lora");
    facts.rank = jsonValue(lora, "r", 0);
    facts.targets = jsonValue(lora, "target_modules", std::vector<std::string>());
}

/// Whether training changes a weight of a policy with adapters.
bool learns(std::string_view name)
{
    return name.find(".lora_") != std::string_view::npos || name.starts_with("matrix.");
}

Status countWeights(const fs::path& file, PolicyFacts& facts)
{
    SPARSERL_TRY(const auto mapped, MappedFile::open(file));
    const auto header = readSafeTensorsHeader(mapped.view(), mapped.view().size(), file.string());
    SPARSERL_CHECK(mapped.whole());
    if (!header)
        return failAt(file.string(), 0, "this is not a safetensors file", "Take another checkpoint");
    for (const auto& [name, type, shape, begin, end] : header->tensors) {
        const std::uint64_t bytes = end - begin, number = tensorTypeBytes(type);
        const auto count = static_cast<std::int64_t>(bytes / number);
        facts.weights += count;
        const bool trained = facts.rank == 0 || learns(name);
        if (trained)
            facts.trainable += count;
        (trained ? facts.trainableBytes : facts.frozenBytes) += bytes;
        const bool ofLayer =
            name.find("layers.") != std::string::npos || name.find("block.") != std::string::npos;
        if (ofLayer && !learns(name)) {
            facts.layerWeights += count;
            facts.layerNumber = static_cast<int>(number);
        } else if (name.find("embed_tokens") != std::string::npos || name.starts_with("shared.")) {
            facts.vocabularyNumber = static_cast<int>(number);
        }
    }
    return {};
}

Status readLicence(const fs::path& folder, PolicyFacts& facts)
{
    for (const char* name : licenceFiles) {
        if (!glance(folder / name).exists)
            continue;
        SPARSERL_TRY(std::string text, readFile(folder / name, mostLicence));
        facts.licenceFile = name;
        facts.licence = isUtf8(text) ? std::move(text) : std::string();
        return {};
    }
    return {};
}

} // namespace

Result<PolicyFacts> readPolicyFacts(const fs::path& folder)
{
    const fs::path file = folder / "config.json";
    SPARSERL_TRY(const std::string text, readFile(file, mostConfig));
    SPARSERL_TRY(const json config, parseJson(text, file.string()));
    if (!config.is_object())
        return failAt(file.string(), 0, "this is not a JSON object", "Take another checkpoint");
    PolicyFacts facts;
    readShape(config, facts);
    readOwn(config.contains("sparserl") ? config["sparserl"] : json(), facts);
    SPARSERL_CHECK(countWeights(folder / "model.safetensors", facts));
    SPARSERL_CHECK(readLicence(folder, facts));
    return facts;
}

} // namespace sparserl
