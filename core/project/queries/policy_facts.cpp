// SPDX-License-Identifier: Apache-2.0
#include "project/queries/policy_facts.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/json.h"
#include "base/licence_files.h"
#include "base/mapped_file.h"
#include "base/printable.h"

#include <cstddef>
#include <string_view>
#include <utility>

namespace sparserl {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::size_t mostConfig = 8 << 20, mostHeader = 32 << 20, mostLicence = 256 << 10;
constexpr std::int64_t mostNumber = std::int64_t(1) << 24; ///< Of a size in config.json.
constexpr std::int64_t mostWeights = std::int64_t(1) << 50;

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

int bytesOf(const std::string& type)
{
    return type == "F64" || type == "I64" ? 8 : type == "BF16" || type == "F16" ? 2 : 4;
}

/// The number of elements, or nothing for what is no shape.
std::optional<std::int64_t> countOf(const json& shape)
{
    const auto extents = jsonAs<std::vector<std::int64_t>>(shape);
    if (!extents)
        return std::nullopt;
    std::int64_t count = 1;
    for (const std::int64_t extent : *extents) {
        if (extent < 0 || (extent > 0 && count > mostWeights / extent))
            return std::nullopt;
        count *= extent;
    }
    return count;
}

Result<json> headerOf(const fs::path& file)
{
    SPARSERL_TRY(const auto mapped, MappedFile::open(file));
    const std::string_view all = mapped.view();
    const auto damaged = [&] {
        return failAt(file.string(), 0, "this is not a safetensors file", "Take another checkpoint");
    };
    constexpr std::size_t lengthBytes = 8;
    if (all.size() < lengthBytes)
        return damaged();
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < lengthBytes; ++i)
        length |= std::uint64_t(static_cast<unsigned char>(all[i])) << (8 * i);
    if (length > mostHeader || length > all.size() - lengthBytes)
        return damaged();
    const std::string header(all.substr(lengthBytes, length));
    SPARSERL_CHECK(mapped.whole());
    SPARSERL_TRY(json value, parseJson(header, file.string()));
    if (!value.is_object())
        return damaged();
    return value;
}

Status countWeights(const fs::path& file, PolicyFacts& facts)
{
    SPARSERL_TRY(const json header, headerOf(file));
    for (const auto& [name, entry] : header.items()) {
        if (name == "__metadata__")
            continue;
        const auto count = countOf(entry.is_object() ? entry.value("shape", json()) : json());
        if (!count)
            return failAt(file.string(), 0, "a tensor has no shape", "Take another checkpoint");
        const int number = bytesOf(jsonValue(entry, "dtype", std::string()));
        facts.weights += *count;
        if (facts.weights > mostWeights)
            return failAt(file.string(), 0, "the tensors have too many numbers", "Take another checkpoint");
        const bool trained = facts.rank == 0 || learns(name);
        if (trained)
            facts.trainable += *count;
        (trained ? facts.trainableBytes : facts.frozenBytes) +=
            static_cast<std::uint64_t>(*count) * static_cast<std::uint64_t>(number);
        const bool ofLayer =
            name.find("layers.") != std::string::npos || name.find("block.") != std::string::npos;
        if (ofLayer && !learns(name)) {
            facts.layerWeights += *count;
            facts.layerNumber = number;
        } else if (name.find("embed_tokens") != std::string::npos || name.starts_with("shared.")) {
            facts.vocabularyNumber = number;
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
