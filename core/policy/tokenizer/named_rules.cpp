// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/named_rules.h"

#include "base/json.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace sparserl {

namespace {

using nlohmann::json;

constexpr const char* llama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+)"
    R"(|\s+(?!\S)|\s+)";
constexpr const char* qwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+)"
    R"(|\s+(?!\S)|\s+)";
constexpr const char* deepseekV3 =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
    R"(| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
/// Letters that have cases, in the Unicode of the model's authors.
constexpr const char* deepseekLetters =
    "\\s?["
    "A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-Ֆ"
    "Ⴀ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-"
    "ώᾀ-"
    "ᾴᾶ-"
    "ᾼιῂ-"
    "ῄ"
    "ῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲ"
    "ⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-"
    "𐓻𐲀-"
    "𐲲𐳀-"
    "𐳲𑢠-"
    "𑣟𞤀-"
    "𞥃"
    "]+";

json split(const char* pattern)
{
    return {
        {"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
}

json digits()
{
    return {{"type", "Digits"}, {"individual_digits", true}};
}

/// Bytes, at the end of all rules; with GPT-2's cuts or without.
json bytes(bool cuts)
{
    return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", cuts}};
}

json sequence(std::initializer_list<json> steps)
{
    return {{"type", "Sequence"}, {"pretokenizers", json(json::array_t(steps))}};
}

struct Rules
{
    json (*cuts)();
    bool composed = false;    ///< Texts are put into normal form C.
    bool wholePieces = false; ///< A piece that is a token is not put together by merges.
    bool begins = false;
};

json gpt2Cuts()
{
    return bytes(true);
}
json smollmCuts()
{
    return sequence({digits(), bytes(true)});
}
json llama3Cuts()
{
    return sequence({split(llama3), bytes(false)});
}
json qwen2Cuts()
{
    return sequence({split(qwen2), bytes(false)});
}
json deepseekLlmCuts()
{
    return sequence({split("[\r\n]"), split(deepseekLetters), split("\\s?[!-/:-~！-／：-～‘-‟　-。]+"),
                     split("\\s+$"), split("[一-龥ࠀ-一가-퟿]+"), digits(), bytes(false)});
}
json deepseekCoderCuts()
{
    return sequence({split("[\r\n]"), split("\\s?\\p{L}+"), split("\\s?\\p{P}+"),
                     split("[一-龥ࠀ-一가-퟿]+"), digits(), bytes(false)});
}
json deepseekV3Cuts()
{
    return sequence(
        {split("\\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+"), split(deepseekV3), bytes(false)});
}
/// What llama.cpp does where a file says nothing.
json defaultCuts()
{
    return sequence({split("[\\p{P}\\$\\+<=>\\^~\\|]+"),
                     split("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)"),
                     split("\\p{N}+"), split("[0-9][0-9][0-9]"), bytes(false)});
}

constexpr Rules llama3Rules{.cuts = llama3Cuts, .wholePieces = true, .begins = true};
constexpr Rules qwen2Rules{.cuts = qwen2Cuts, .composed = true};
constexpr std::array<std::pair<std::string_view, Rules>, 13> known{
    {{"default", {.cuts = defaultCuts}},
     {"gpt-2", {.cuts = gpt2Cuts}},
     {"smollm", {.cuts = smollmCuts}},
     {"llama-bpe", llama3Rules},
     {"llama-v3", llama3Rules},
     {"llama3", llama3Rules},
     {"glm4", {.cuts = llama3Cuts}},
     {"chatglm-bpe", {.cuts = llama3Cuts}},
     {"qwen2", qwen2Rules},
     {"deepseek-r1-qwen", qwen2Rules},
     {"deepseek-llm", {.cuts = deepseekLlmCuts}},
     {"deepseek-coder", {.cuts = deepseekCoderCuts}},
     {"deepseek-v3", {.cuts = deepseekV3Cuts}}}};

} // namespace

std::optional<NamedRules> addNamedRules(std::string_view name, json& tokenizer)
{
    for (const auto& [known, rules] : sparserl::known) {
        if (known != name)
            continue;
        tokenizer["normalizer"] = rules.composed ? json{{"type", "NFC"}} : json();
        tokenizer["pre_tokenizer"] = rules.cuts();
        tokenizer["model"]["ignore_merges"] = rules.wholePieces;
        return NamedRules{.begins = rules.begins};
    }
    return std::nullopt;
}

namespace {

/// What two files may say differently without cutting a text differently: offsets, and what is not there.
json comparable(json rules)
{
    if (rules.is_object()) {
        if (rules.contains("normalizers") && rules["normalizers"].empty())
            return {};
        rules.erase("trim_offsets");
        for (auto at = rules.begin(); at != rules.end();)
            at = at->is_null() ? rules.erase(at) : std::next(at);
    }
    if (rules.is_structured()) {
        for (json& part : rules)
            part = comparable(part);
    }
    return rules;
}

} // namespace

std::optional<std::string> nameOfRules(const json& tokenizer)
{
    const auto member = [](const json& object, const char* key) {
        return object.is_object() && object.contains(key) ? comparable(object[key]) : json();
    };
    const bool wholePieces =
        tokenizer.contains("model") && jsonValue(tokenizer["model"], "ignore_merges", false);
    for (const auto& [name, rules] : known) {
        json built;
        addNamedRules(name, built);
        if (member(tokenizer, "normalizer") == member(built, "normalizer") &&
            member(tokenizer, "pre_tokenizer") == member(built, "pre_tokenizer") &&
            wholePieces == rules.wholePieces)
            return std::string(name);
    }
    return std::nullopt;
}

std::string knownRules()
{
    std::string names;
    for (const auto& [name, rules] : known)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
    return names;
}

} // namespace sparserl
