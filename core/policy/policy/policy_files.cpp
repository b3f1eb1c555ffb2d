// SPDX-License-Identifier: Apache-2.0
// Policy directories: config.json, tokenizer.json, model.safetensors; and the critic's two files.
#include "base/beneath.h"
#include "policy/policy/policy.h"

#include "policy/families/families.h"
#include "policy/tokenizer/chat_format.h"

#include "base/files.h"
#include "base/format_number.h"
#include "base/json.h"
#include "base/new_folders.h"
#include "base/weight_limit.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int formatVersion = 1;
constexpr int mostTextEntries = 4096;
constexpr std::size_t mostConfigBytes = 8 << 20; ///< A chat template alone may have 1 MiB.

json configJson(const LanguageModel& model)
{
    json value = json::object();
    model.writeConfig(value);
    value["sparserl"]["format"] = formatVersion;
    value["sparserl"]["embedding"] = toJson(model.embedding());
    return value;
}

struct Shape
{
    ModelShape model;
    EmbeddingConfig embedding;
    json all; ///< config.json
    json own; ///< Our part of it
};

Result<Shape> readConfig(const fs::path& file)
{
    SPARSERL_TRY(const auto text, readFile(file, mostConfigBytes));
    SPARSERL_TRY(const json value, parseJson(text, file.string()));
    if (!value.is_object())
        return failAt(file.string(), 0, "this is not a JSON object", "Take another checkpoint");
    const auto inFile = [&](const Error& error) {
        return failAt(file.string(), 0, error.what, error.remedy);
    };
    if (!value.contains("sparserl") || !value["sparserl"].is_object() ||
        !value["sparserl"].contains("embedding"))
        return failAt(file.string(), 0,
                      "the matrix embedding is not described (\"sparserl\": {\"embedding\": ..})",
                      "Use a policy that this program has written; a model of Hugging Face is made one by "
                      "`sparserl policy import`");
    Shape shape;
    shape.all = value;
    shape.own = value["sparserl"];
    SPARSERL_CHECK(checkFormat(shape.own, formatVersion, "the policy", file.string()));
    const auto model = modelShapeFromJson(value);
    if (!model)
        return inFile(model.error());
    const auto embedding = embeddingConfigFromJson(shape.own["embedding"]);
    if (!embedding)
        return inFile(embedding.error());
    shape.model = *model;
    shape.embedding = *embedding;
    return shape;
}

Result<std::shared_ptr<LanguageModel>> readWeights(const fs::path& file, const Shape& shape, ModelHead head)
{
    SPARSERL_TRY(const auto most, mostWeightBytes(file.parent_path()));
    SPARSERL_TRY(const auto look, lookAt(file));
    if (most && look.bytes > *most)
        return failAt(file.string(), 0,
                      fmt::format("the file has {} bytes; one of the policy in config.json has {} at most",
                                  look.bytes, *most),
                      "Take config.json and model.safetensors from the same checkpoint");
    return readModel(shape.model, shape.embedding, head, file);
}

} // namespace

Result<Policy> Policy::load(const fs::path& directory)
{
    const fs::path configFile = directory / "config.json";
    if (!glance(configFile).exists)
        return failAt(directory.string(), 0, "this is not a policy directory: it has no config.json",
                      "Give a folder with config.json, tokenizer.json and model.safetensors");
    SPARSERL_TRY(auto shape, readConfig(configFile));
    PolicyConfig config;
    config.embedding = shape.embedding;
    const json generation = shape.own.is_object() ? shape.own.value("generation", json::object()) : json();
    if (!generation.is_object())
        return failAt(configFile.string(), 0, "the generation settings are not usable",
                      "Write \"generation\" as an object with max_tokens and temperature");
    const json tokens = generation.value("max_tokens", json(config.generation.maxTokens));
    const json temperature = generation.value("temperature", json(config.generation.temperature));
    if (!tokens.is_number_integer() || tokens < 1 || tokens > 65536 || !temperature.is_number() ||
        temperature <= 0)
        return failAt(configFile.string(), 0, "the generation settings are not usable",
                      "Give max_tokens from 1 to 65536 and a temperature above 0");
    config.generation = {tokens.get<int>(), temperature.get<double>()};
    const json prompt = shape.own.value("prompt", json(""));
    constexpr std::size_t longestPrompt = 1 << 14;
    if (!prompt.is_string() || prompt.get_ref<const std::string&>().size() > longestPrompt)
        return failAt(configFile.string(), 0, "the prompt is not usable",
                      "Write \"prompt\" as a text of at most 16 KiB");
    config.prompt = prompt.get<std::string>();
    const json chat = shape.own.value("chat", json(""));
    if (!chat.is_string() ||
        !(chat.get_ref<const std::string&>().empty() || ChatFormat::named(chat.get<std::string>())))
        return failAt(configFile.string(), 0, "the chat format is not known",
                      "Write \"chat\" as one of " + ChatFormat::names());
    config.chat = chat.get<std::string>();
    const auto textEntries = jsonAs<int>(shape.own.value("text_entries", json(0)));
    if (!textEntries || *textEntries < 0 || *textEntries > mostTextEntries)
        return failAt(configFile.string(), 0, "\"text_entries\" is not usable",
                      fmt::format("Write a whole number from 0 to {}", mostTextEntries));
    config.textEntries = *textEntries;
    const json refines = shape.own.value("refines", json(false));
    if (!refines.is_boolean())
        return failAt(configFile.string(), 0, "\"refines\" is not usable", "Write it as true or false");
    config.refines = refines.get<bool>();
    SPARSERL_TRY(auto tokenizer, Tokenizer::load(directory / "tokenizer.json"));
    if (!config.chat.empty()) {
        if (const auto usable = ChatFormat::named(config.chat)->check(tokenizer); !usable)
            return failAt(configFile.string(), 0, usable.error().what, usable.error().remedy);
    }
    if (tokenizer.vocabSize() > vocabSizeOf(shape.model))
        return failAt(configFile.string(), 0,
                      fmt::format("vocab_size is {}, but the tokenizer has {} tokens",
                                  vocabSizeOf(shape.model), tokenizer.vocabSize()),
                      "Take tokenizer.json and config.json from the same checkpoint");
    if (const json end = shape.all.value("eos_token_id", json()); !end.is_null()) {
        const auto id = jsonAs<std::int32_t>(end);
        if (!id || *id < 0 || *id >= tokenizer.vocabSize())
            return failAt(configFile.string(), 0, "\"eos_token_id\" is not a token of the tokenizer",
                          "Take tokenizer.json and config.json from the same checkpoint");
        tokenizer.setEnd(*id);
    }
    if (tokenizer.end() < 0)
        return failAt(configFile.string(), 0, "no token ends a program (\"eos_token_id\")",
                      "Take tokenizer.json and config.json from the same checkpoint");
    SPARSERL_TRY(auto model, readWeights(directory / "model.safetensors", shape, ModelHead::Vocabulary));
    if (config.textEntries > 0 && !model->beginsPrompts())
        return failAt(configFile.string(), 0,
                      "a T5 reads matrices as tokens, and \"text_entries\" asks for text",
                      "Remove \"text_entries\"");
    return Policy(std::move(config), std::move(tokenizer), std::move(model));
}

Status Policy::saveFiles(const fs::path& directory, torch::ScalarType precision) const
{
    SPARSERL_CHECK(makeDirectories(directory));
    SafeTensors weights = m_model->exportTensors();
    for (auto& [name, tensor] : weights.tensors) {
        if (precision != torch::kFloat32 && tensor.scalar_type() == torch::kFloat32)
            tensor = tensor.to(precision);
    }
    SPARSERL_CHECK(writeSafeTensors(directory / "model.safetensors", weights));
    SPARSERL_CHECK(writeFileAtomic(directory / "tokenizer.json", m_tokenizer.toJson().dump(1) + "\n"));
    json value = configJson(*m_model);
    value["eos_token_id"] = m_tokenizer.end();
    value["sparserl"]["generation"] = {{"max_tokens", m_config.generation.maxTokens},
                                       {"temperature", m_config.generation.temperature}};
    if (!m_config.prompt.empty())
        value["sparserl"]["prompt"] = m_config.prompt;
    if (!m_config.chat.empty())
        value["sparserl"]["chat"] = m_config.chat;
    if (m_config.textEntries > 0)
        value["sparserl"]["text_entries"] = m_config.textEntries;
    if (m_config.refines)
        value["sparserl"]["refines"] = true;
    return writeFileAtomic(directory / "config.json", value.dump(2) + "\n");
}

namespace {

std::string hiddenName(const fs::path& path)
{
    std::string name(1, '.');
    return name += path.filename().string();
}

} // namespace

Status Policy::save(const fs::path& directory, torch::ScalarType precision) const
{
    const fs::path target = fs::absolute(directory).lexically_normal();
    const fs::path final = target.filename().empty() ? target.parent_path() : target;
    NewFolders folders;
    SPARSERL_CHECK(folders.make(final.parent_path()));
    SPARSERL_TRY(auto temporary, TempDir::create(hiddenName(final), final.parent_path()));
    SPARSERL_CHECK(saveFiles(temporary.path(), precision));
    SPARSERL_CHECK(writeFileAtomic(temporary.path() / "DONE", ""));
    SPARSERL_CHECK(syncDirectory(temporary.path()));
    std::error_code error;
    fs::permissions(temporary.path(), fs::perms(0755), error);
    const fs::path old = final.parent_path() / (hiddenName(final) + ".replaced");
    const bool replaces = glance(final).exists;
    if (replaces) {
        removeTree(old, error);
        renameEntry(final, old, error);
        if (error)
            return failAt(final.string(), 0, "the old policy cannot be moved aside: " + error.message(),
                          "Check the folder's permissions");
    }
    renameEntry(temporary.path(), final, error);
    if (error) {
        std::error_code ignored;
        if (replaces)
            renameEntry(old, final, ignored);
        return failAt(final.string(), 0, "the policy cannot be put in place: " + error.message(),
                      "Check the folder's permissions");
    }
    temporary.release();
    if (replaces)
        removeTree(old, error);
    return syncDirectory(final.parent_path());
}

Result<Critic> Critic::load(const fs::path& directory)
{
    SPARSERL_TRY(auto shape, readConfig(directory / "critic.json"));
    SPARSERL_TRY(auto model, readWeights(directory / "critic.safetensors", shape, ModelHead::Scalar));
    model->learn();
    return Critic(std::move(model));
}

Status Critic::saveFiles(const fs::path& directory) const
{
    SPARSERL_CHECK(makeDirectories(directory));
    SPARSERL_CHECK(writeSafeTensors(directory / "critic.safetensors", m_model->exportTensors()));
    return writeFileAtomic(directory / "critic.json", configJson(*m_model).dump(2) + "\n");
}

} // namespace sparserl
