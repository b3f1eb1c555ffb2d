// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "base/json.h"

#include <QTest>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

// Models that cannot be imported, for tests of the terminal and of the window.
namespace sparserl::test {

inline const std::filesystem::path modelFixtures = SPARSERL_SOURCE_DIR "/tests/policy/fixtures";

using Damage = std::function<void(const std::filesystem::path& model)>;

inline void change(const std::filesystem::path& file, const std::function<void(nlohmann::json&)>& how)
{
    auto json = *readJson(file);
    how(json);
    QVERIFY(writeJson(file, json));
}

/// A member of config.json.
inline Damage config(const char* key, nlohmann::json value)
{
    return [=](const std::filesystem::path& model) {
        change(model / "config.json", [&](nlohmann::json& json) { json[key] = value; });
    };
}

/// A config.json of a tiny GLM-4, with other members.
inline Damage glm4(const nlohmann::json& others)
{
    return [=](const std::filesystem::path& model) {
        nlohmann::json json{{"model_type", "glm4"},     {"vocab_size", 318},      {"hidden_size", 8},
                            {"intermediate_size", 12},  {"num_hidden_layers", 1}, {"num_attention_heads", 2},
                            {"num_key_value_heads", 1}, {"head_dim", 8}};
        if (!others.is_null())
            json.update(others);
        QVERIFY(writeJson(model / "config.json", json));
    };
}

inline Damage without(const char* file)
{
    return [=](const std::filesystem::path& model) { std::filesystem::remove(model / file); };
}

inline Damage holds(const char* file, const char* text)
{
    return [=](const std::filesystem::path& model) { QVERIFY(writeFileAtomic(model / file, text)); };
}

inline Damage cut(const char* file, std::size_t bytes)
{
    return [=](const std::filesystem::path& model) {
        QVERIFY(writeFileAtomic(model / file, readFile(model / file)->substr(0, bytes)));
    };
}

/// A byte of the file takes another value.
inline Damage byte(const char* file, std::size_t at, char value)
{
    return [=](const std::filesystem::path& model) {
        std::string bytes = *readFile(model / file);
        bytes.at(at) = value;
        QVERIFY(writeFileAtomic(model / file, bytes));
    };
}

struct Broken
{
    Damage damage;
    const char* says;
    const char* from = "codet5/own_head";
};

/// Of a folder in Hugging Face's layout, and of GGUF files.
inline const std::map<std::string, Broken>& brokenModels()
{
    static const char* const first = "model-00001-of-00002.safetensors";
    static const char* const second = "model-00002-of-00002.safetensors";
    static const char* const index = "model.safetensors.index.json";
    static const char* const gguf = "gguf/models/llama.gguf";
    static const std::map<std::string, Broken> all{
        {"nothing there",
         {[](const std::filesystem::path& model) { std::filesystem::remove_all(model); },
          "it has no config.json"}},
        {"no config", {without("config.json"), "it has no config.json"}},
        {"config is no JSON", {holds("config.json", "{"), "config.json"}},
        {"config is a list", {holds("config.json", "[]"), "cannot be used"}},
        {"config is empty", {holds("config.json", ""), "config.json"}},
        {"unknown family", {config("model_type", "mamba"), "model_type is \"mamba\", which is not known"}},
        {"family is a number", {config("model_type", 5), "model_type"}},
        {"activation", {config("feed_forward_proj", "gated-silu"), "gated-silu"}},
        {"start token", {config("decoder_start_token_id", 1), "decoder_start_token_id"}},
        {"enormous", {config("d_ff", 16'000'000), "fewer weights"}},
        {"negative size", {config("d_model", -8), "d_model"}},
        {"fraction", {config("num_heads", 2.5), "num_heads"}},
        {"size is text", {config("d_kv", "six"), "d_kv"}},
        {"more rows", {config("vocab_size", 320), "config.json asks for [320, 8]"}},
        {"fewer rows than tokens", {config("vocab_size", 312), "the tokenizer has 313"}},
        {"tied with a head of its own", {config("tie_word_embeddings", true), "ties the two"}},
        {"a policy", {config("sparserl", nlohmann::json::object()), "a policy already"}},
        {"shard missing", {without(second), "the shard model-00002-of-00002.safetensors is missing"}},
        {"shard cut", {cut(first, 6000), "copy it again"}},
        {"header cut", {cut(first, 40), "model-00001-of-00002.safetensors"}},
        {"shard is empty", {cut(first, 0), "model-00001-of-00002.safetensors"}},
        {"length of the header", {byte(first, 6, '\x7f'), "model-00001-of-00002.safetensors"}},
        {"header is no JSON", {byte(first, 8, 'x'), "model-00001-of-00002.safetensors"}},
        {"index is no map", {holds(index, R"({"weight_map":{}})"), "weight_map"}},
        {"shard elsewhere",
         {[](const std::filesystem::path& model) {
              change(model / index,
                     [](nlohmann::json& json) { json["weight_map"]["shared.weight"] = "../../etc/passwd"; });
          },
          "not in a file of this directory"}},
        {"pickled",
         {[](const std::filesystem::path& model) {
              for (const char* file : {index, first, second})
                  std::filesystem::remove(model / file);
              QVERIFY(writeFileAtomic(model / "pytorch_model.bin", "PK"));
          },
          "save_pretrained"}},
        {"no tokenizer", {without("merges.txt"), "no tokenizer"}},
        {"vocabulary is a list", {holds("vocab.json", "[]"), "not a JSON object"}},
        {"merges of nothing", {holds("merges.txt", "qqq zzz\n"), "known tokens"}},
        {"a SentencePiece",
         {[](const std::filesystem::path& model) {
              std::filesystem::remove(model / "merges.txt");
              QVERIFY(writeFileAtomic(model / "spiece.model", "x"));
          },
          "SentencePiece"}},
        {"too little memory",
         {[](const std::filesystem::path& model) { // a hole in the file: it takes no place on the disk
              const std::uint64_t bytes = std::uint64_t(1) << 40;
              const std::string header = fmt::format(
                  R"({{"x":{{"dtype":"F32","shape":[{}],"data_offsets":[0,{}]}}}})", bytes / 4, bytes);
              std::string begin(8, '\0');
              for (std::size_t i = 0; i < 8; ++i)
                  begin[i] = static_cast<char>(header.size() >> (8 * i));
              QVERIFY(writeFileAtomic(model / "model.safetensors", begin + header));
              std::filesystem::resize_file(model / "model.safetensors", begin.size() + header.size() + bytes);
          },
          "1.0 TiB of memory, and", "codet5/tied"}},
        {"older GLM", {config("model_type", "chatglm"), "model_type is \"chatglm\", which is not known"}},
        {"GLM of other weights", {glm4({}), "model.embed_tokens.weight"}},
        {"positions of three numbers",
         {glm4({{"partial_rotary_factor", 0.375}}), "partial_rotary_factor is 0.375 for heads of 8 numbers"}},
        {"positions of more than a head",
         {glm4({{"partial_rotary_factor", 2}}), "partial_rotary_factor is 2 for heads of 8 numbers"}},
        {"positions are text", {glm4({{"partial_rotary_factor", "half"}}), "is not a number"}},
        {"GLM of experts", {glm4({{"n_routed_experts", 128}}), "a mixture of experts"}},
        {"GGUF cut", {cut("llama.gguf", 3000), "llama.gguf", gguf}},
        {"GGUF is empty", {cut("llama.gguf", 0), "llama.gguf", gguf}},
        {"no GGUF", {byte("llama.gguf", 0, 'X'), "llama.gguf", gguf}},
        {"version of GGUF", {byte("llama.gguf", 4, '\x63'), "version", gguf}},
        {"number of tensors", {byte("llama.gguf", 15, '\x7f'), "llama.gguf", gguf}},
    };
    return all;
}

/// Copies what is to be damaged into `folder`, damages it, and returns the path to import.
inline std::filesystem::path makeBroken(const Broken& broken, const std::filesystem::path& folder)
{
    const std::filesystem::path from = modelFixtures / broken.from;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    const bool file = std::filesystem::is_regular_file(from);
    if (file)
        std::filesystem::copy_file(from, folder / from.filename());
    else
        std::filesystem::copy(from, folder);
    broken.damage(folder);
    return file ? folder / from.filename() : folder;
}

} // namespace sparserl::test
