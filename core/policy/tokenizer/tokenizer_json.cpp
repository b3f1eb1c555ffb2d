// SPDX-License-Identifier: Apache-2.0
// tokenizer.json as Hugging Face's `tokenizers` writes and reads it: model BPE over GPT-2's printable
// alphabet.
#include "policy/tokenizer/tokenizer_tables.h"

#include "base/files.h"
#include "base/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl {

namespace {

using nlohmann::json;

constexpr std::string_view codePattern = "[0-9]+|[\\r\\n]+[^0-9\\r\\n]*|[^0-9\\r\\n]+";

/// GPT-2's alphabet: a printable code point for each byte.
std::array<std::uint16_t, 256> byteAlphabet()
{
    std::array<std::uint16_t, 256> alphabet{};
    std::uint16_t next = 256;
    for (int byte = 0; byte < 256; ++byte) {
        const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
        alphabet[byte] = printable ? static_cast<std::uint16_t>(byte) : next++;
    }
    return alphabet;
}

std::string toAlphabet(std::string_view bytes)
{
    static const std::array<std::uint16_t, 256> alphabet = byteAlphabet();
    std::string text;
    for (const char c : bytes) {
        const std::uint16_t code = alphabet[static_cast<unsigned char>(c)];
        if (code < 0x80) {
            text += static_cast<char>(code);
        } else {
            text += static_cast<char>(0xC0 | code >> 6);
            text += static_cast<char>(0x80 | (code & 0x3F));
        }
    }
    return text;
}

std::optional<std::string> fromAlphabet(std::string_view text)
{
    static const auto inverse = [] {
        std::array<int, 512> table;
        table.fill(-1);
        const auto alphabet = byteAlphabet();
        for (int byte = 0; byte < 256; ++byte)
            table[alphabet[byte]] = byte;
        return table;
    }();
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned code = static_cast<unsigned char>(text[i]);
        if (code >= 0x80) {
            if (code < 0xC2 || code > 0xC7 || i + 1 >= text.size())
                return std::nullopt;
            code = (code & 0x1F) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3F);
        }
        if (code >= inverse.size() || inverse[code] < 0)
            return std::nullopt;
        bytes += static_cast<char>(inverse[code]);
    }
    return bytes;
}

json preTokenizerJson(PreTokenizer rule)
{
    const bool gpt2 = rule == PreTokenizer::Gpt2;
    json byteLevel = {
        {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", gpt2}};
    if (gpt2)
        return byteLevel;
    const json split = {{"type", "Split"},
                        {"pattern", {{"Regex", codePattern}}},
                        {"behavior", "Isolated"},
                        {"invert", false}};
    return {{"type", "Sequence"}, {"pretokenizers", json::array({split, byteLevel})}};
}

std::optional<PreTokenizer> preTokenizerFromJson(const json& value)
{
    if (!value.is_object())
        return std::nullopt;
    if (value.value("type", "") == "ByteLevel" && !value.value("add_prefix_space", true) &&
        value.value("use_regex", true))
        return PreTokenizer::Gpt2;
    return value == preTokenizerJson(PreTokenizer::Code) ? std::optional(PreTokenizer::Code) : std::nullopt;
}

/// Both spellings of a merge: "a b" and ["a", "b"].
std::optional<std::pair<std::string, std::string>> mergeFromJson(const json& value)
{
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        const std::size_t space = text.find(' ');
        if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
            return std::nullopt;
        return std::pair(text.substr(0, space), text.substr(space + 1));
    }
    if (value.is_array() && value.size() == 2 && value[0].is_string() && value[1].is_string())
        return std::pair(value[0].get<std::string>(), value[1].get<std::string>());
    return std::nullopt;
}

} // namespace

json Tokenizer::toJson() const
{
    const Tables& t = *m_tables;
    json vocab = json::object(), merges = json::array(), added = json::array();
    for (std::size_t id = 0; id < t.tokens.size(); ++id) {
        if (t.special[id])
            added.push_back({{"id", id},
                             {"content", t.tokens[id]},
                             {"single_word", false},
                             {"lstrip", false},
                             {"rstrip", false},
                             {"normalized", false},
                             {"special", true}});
        vocab[t.special[id] ? t.tokens[id] : toAlphabet(t.tokens[id])] = id;
    }
    for (const auto& [left, right] : t.mergeList)
        merges.push_back(toAlphabet(t.tokens[left]) + " " + toAlphabet(t.tokens[right]));
    return {
        {"version", "1.0"},
        {"truncation", nullptr},
        {"padding", nullptr},
        {"added_tokens", std::move(added)},
        {"normalizer", nullptr},
        {"pre_tokenizer", preTokenizerJson(t.preTokenizer)},
        {"post_processor", nullptr},
        {"decoder",
         {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}}},
        {"model",
         {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false},
          {"vocab", std::move(vocab)},
          {"merges", std::move(merges)}}}};
}

namespace {

const std::string remedy = "Use a byte-level BPE tokenizer as this program or CodeT5 writes it";

/// A sentence about what `tokenizers` would do to a text and we do not; empty where there is nothing of that.
std::string unknownRule(const json& value, const json& model)
{
    const auto set = [](const json& object, const char* key) {
        const json found = object.value(key, json());
        if (found.is_string())
            return !found.get_ref<const std::string&>().empty();
        return !found.is_null() && found != false && found != 0;
    };
    if (set(value, "normalizer"))
        return "texts are changed by a normalizer";
    for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix", "ignore_merges"}) {
        if (set(model, key))
            return fmt::format("the model sets \"{}\"", key);
    }
    return {};
}

} // namespace

Result<Tokenizer> Tokenizer::fromJson(const json& value, const std::string& name)
try {
    if (!value.is_object() || !value.contains("model") || !value["model"].is_object())
        return failAt(name, 0, "this is not a tokenizer: there is no \"model\"", remedy);
    const json& model = value["model"];
    if (model.contains("type") && model["type"] != "BPE")
        return failAt(name, 0, "the model is not of type BPE", remedy);
    if (!model.contains("vocab") || !model["vocab"].is_object() || !model.contains("merges") ||
        !model["merges"].is_array())
        return failAt(name, 0, "the model lacks \"vocab\" or \"merges\"", remedy);
    const auto rule = value.contains("pre_tokenizer") ? preTokenizerFromJson(value["pre_tokenizer"])
                                                      : std::optional<PreTokenizer>{};
    if (!rule)
        return failAt(name, 0,
                      "the pre-tokenizer is neither GPT-2's byte level without a prefix space nor ours",
                      remedy);

    if (const std::string other = unknownRule(value, model); !other.empty())
        return failAt(name, 0, other + ", which is not known here", remedy);

    std::unordered_map<std::string, std::int64_t> ids;
    for (const auto& [text, id] : model["vocab"].items()) {
        if (!id.is_number_integer())
            return failAt(name, 0, "the id of token \"" + text + "\" is not an integer", remedy);
        ids[text] = id.get<std::int64_t>();
    }
    std::unordered_map<std::string, bool> isSpecial;
    const json added = value.value("added_tokens", json::array());
    for (const json& token : added) {
        if (!token.is_object() || !token.contains("content") || !token["content"].is_string() ||
            !token.contains("id") || !token["id"].is_number_integer())
            return failAt(name, 0, "an added token has no content or no id", remedy);
        const auto text = token["content"].get<std::string>();
        ids[text] = token["id"].get<std::int64_t>();
        isSpecial[text] = true;
    }
    std::vector<std::string> tokens(ids.size());
    std::vector<bool> special(ids.size(), false), given(ids.size(), false);
    for (const auto& [text, id] : ids) {
        if (id < 0 || id >= static_cast<std::int64_t>(ids.size()) || given[id])
            return failAt(name, 0,
                          fmt::format("id {} of token \"{}\" is out of range or given twice", id, text),
                          "Number the tokens from 0 without gaps");
        given[id] = true;
        special[id] = isSpecial.contains(text);
        auto bytes = special[id] ? std::optional(text) : fromAlphabet(text);
        if (!bytes || bytes->empty())
            return failAt(name, 0, "token \"" + text + "\" is not in GPT-2's byte alphabet", remedy);
        tokens[id] = std::move(*bytes);
    }
    for (int id = 0; id < specialCount; ++id) {
        if (tokens.size() <= static_cast<std::size_t>(id) || !special[id] ||
            tokens[id] != specialTokenNames[id])
            return failAt(name, 0, fmt::format("token {} is not \"{}\"", id, specialTokenNames[id]),
                          "Declare <pad>, <s>, </s>, <unk> as added tokens 0 to 3");
    }
    std::vector<std::pair<std::int32_t, std::int32_t>> merges;
    for (const json& entry : model["merges"]) {
        const auto merge = mergeFromJson(entry);
        const auto left = merge ? ids.find(merge->first) : ids.end();
        const auto right = merge ? ids.find(merge->second) : ids.end();
        if (left == ids.end() || right == ids.end())
            return failAt(name, 0, fmt::format("merge {} is not a pair of known tokens", merges.size()),
                          remedy);
        merges.emplace_back(static_cast<std::int32_t>(left->second),
                            static_cast<std::int32_t>(right->second));
    }
    return build(std::move(tokens), std::move(special), std::move(merges), *rule, name);
} catch (const json::exception& error) {
    return failAt(name, 0, std::string("a value has the wrong type: ") + error.what(), remedy);
}

Result<Tokenizer> Tokenizer::load(const std::filesystem::path& file)
{
    SPARSERL_TRY(const json value, readJson(file));
    return fromJson(value, file.string());
}

Status Tokenizer::save(const std::filesystem::path& file) const
{
    return writeFileAtomic(file, toJson().dump(1) + "\n");
}

} // namespace sparserl
