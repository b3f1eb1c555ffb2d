// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/tokenizer_import.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/json.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unordered_set>

namespace sparserl {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool fileExists(const fs::path& file)
{
    return glance(file).exists;
}

/// An object, or an empty one where there is no such file.
Result<json> readObject(const fs::path& file)
{
    if (!fileExists(file))
        return json::object();
    SPARSERL_TRY(json value, readJson(file));
    if (!value.is_object())
        return failAt(file.string(), 0, "this is not a JSON object", "Take the file as it was published");
    return value;
}

/// "<s>", or {"content": "<s>", ...}; empty for anything else.
std::string contentOf(const json& token)
{
    const json text = token.is_object() ? token.value("content", json()) : token;
    return text.is_string() ? text.get<std::string>() : std::string();
}

/// Special tokens by name, in the order in which Hugging Face numbers those that have no number yet.
class SpecialTokens
{
public:
    explicit SpecialTokens(const json& vocabulary)
        : m_vocabulary(vocabulary)
    {
        for (const auto& [text, id] : vocabulary.items())
            m_next = std::max(m_next, behind(id));
    }
    /// `id` is null where the file does not say it.
    void add(const std::string& text, json id = nullptr)
    {
        if (text.empty() || !m_known.insert(text).second)
            return;
        if (m_vocabulary.contains(text))
            id = m_vocabulary[text];
        if (id.is_null())
            id = m_next;
        m_next = std::max(m_next, behind(id));
        m_added.push_back({{"id", id}, {"content", text}, {"special", true}});
    }
    const json& added() const { return m_added; }

private:
    /// The number after `id`; 0 for what cannot be one (the tokenizer's own checks refuse that later).
    static std::int64_t behind(const json& id)
    {
        return id.is_number_integer() ? std::int64_t(jsonAs<std::int32_t>(id).value_or(-1)) + 1 : 0;
    }

    const json& m_vocabulary;
    json m_added = json::array();
    std::unordered_set<std::string> m_known; ///< Contents of those.
    std::int64_t m_next = 0;
};

/// Merges as lines "left right" behind a line "#version: ..".
Result<json> readMerges(const fs::path& file)
{
    SPARSERL_TRY(const std::string text, readFile(file, 256u << 20));
    json merges = json::array();
    std::int64_t number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        at = end + 1;
        ++number;
        if (line.ends_with('\r'))
            line.pop_back();
        if (line.empty() || line.starts_with("#version"))
            continue;
        const std::size_t space = line.find(' ');
        if (space == std::string::npos || line.find(' ', space + 1) != std::string::npos)
            return failAt(file.string(), number, "this line is not two tokens with a space between them",
                          "Take merges.txt as it was published");
        merges.push_back(json::array({line.substr(0, space), line.substr(space + 1)}));
    }
    return merges;
}

Result<Tokenizer> fromTwoFiles(const fs::path& directory)
{
    const fs::path vocabularyFile = directory / "vocab.json";
    SPARSERL_TRY(const json vocabulary, readObject(vocabularyFile));
    SPARSERL_TRY(const json merges, readMerges(directory / "merges.txt"));
    SPARSERL_TRY(const json map, readObject(directory / "special_tokens_map.json"));
    SPARSERL_TRY(const json added, readObject(directory / "added_tokens.json"));
    SPARSERL_TRY(const json settings, readObject(directory / "tokenizer_config.json"));
    const json prefix = settings.value("add_prefix_space", json(false));
    if (prefix != false)
        return failAt((directory / "tokenizer_config.json").string(), 0,
                      "texts get a space in front (\"add_prefix_space\"), which is not known here",
                      "Use CodeT5's tokenizer, which sets it to false");
    SpecialTokens special(vocabulary);
    for (const auto& [text, id] : added.items())
        special.add(text, id);
    const json decoder = settings.value("added_tokens_decoder", json::object());
    for (const auto& [id, token] : decoder.items()) {
        const auto number = parseJson(id);
        special.add(contentOf(token), number ? *number : json());
    }
    for (const char* one : {"<pad>", "<s>", "</s>", "<unk>"}) {
        if (vocabulary.contains(one))
            special.add(one);
    }
    for (const char* role :
         {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"})
        special.add(contentOf(map.value(role, json())));
    for (const json& token : map.value("additional_special_tokens", json::array()))
        special.add(contentOf(token));
    const json whole = {{"added_tokens", special.added()},
                        {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
                        {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", merges}}}};
    return Tokenizer::fromJson(whole, vocabularyFile.string());
}

Result<Tokenizer> readFiles(const fs::path& directory)
{
    if (fileExists(directory / "tokenizer.json"))
        return Tokenizer::load(directory / "tokenizer.json");
    if (fileExists(directory / "vocab.json") && fileExists(directory / "merges.txt"))
        return fromTwoFiles(directory);
    if (fileExists(directory / "spiece.model"))
        return failAt((directory / "spiece.model").string(), 0,
                      "the tokenizer is one of SentencePiece, which is not read",
                      "Use a T5 with a byte-level BPE tokenizer, such as CodeT5");
    return failAt(directory.string(), 0,
                  "there is no tokenizer: neither tokenizer.json nor vocab.json with merges.txt",
                  "Put the tokenizer's files of the same model there");
}

/// Sets the token that ends a program.
Status settleEnd(const fs::path& directory, Tokenizer& tokenizer)
{
    const std::string remedy = "Take all files of the directory from the same model";
    for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
        SPARSERL_TRY(const json settings, readObject(directory / name));
        const std::string end = contentOf(settings.value("eos_token", json()));
        if (end.empty())
            continue;
        const auto id = tokenizer.addedToken(end);
        if (!id)
            return failAt((directory / name).string(), 0,
                          "\"eos_token\" is \"" + end + "\", which the tokenizer does not have", remedy);
        tokenizer.setEnd(*id);
        return {};
    }
    const fs::path config = directory / "config.json";
    SPARSERL_TRY(const json settings, readObject(config));
    json end = settings.value("eos_token_id", json());
    if (end.is_array() && !end.empty())
        end = json(end[0]);
    if (!end.is_null()) {
        const auto id = jsonAs<std::int32_t>(end);
        if (!id || *id < 0 || *id >= tokenizer.vocabSize())
            return failAt(config.string(), 0, "\"eos_token_id\" is not a token of the tokenizer", remedy);
        tokenizer.setEnd(*id);
    }
    if (tokenizer.end() < 0)
        return failAt(directory.string(), 0, "no file says which token ends a text",
                      "Write \"eos_token\" in tokenizer_config.json");
    return {};
}

/// Sets the token in front of a text where the settings say more than tokenizer.json.
Status settleBegin(const fs::path& directory, Tokenizer& tokenizer)
{
    const fs::path file = directory / "tokenizer_config.json";
    SPARSERL_TRY(const json settings, readObject(file));
    const json adds = settings.value("add_bos_token", json());
    if (adds == false)
        tokenizer.setBegin(-1);
    if (adds != true)
        return {};
    const std::string begin = contentOf(settings.value("bos_token", json()));
    const auto id = tokenizer.addedToken(begin);
    if (!id)
        return failAt(file.string(), 0,
                      "\"add_bos_token\" is set, and \"bos_token\" is not a token of the tokenizer",
                      "Take all files of the directory from the same model");
    tokenizer.setBegin(*id);
    return {};
}

} // namespace

Result<Tokenizer> readHuggingFaceTokenizer(const fs::path& directory)
{
    SPARSERL_TRY(auto tokenizer, readFiles(directory));
    SPARSERL_CHECK(settleEnd(directory, tokenizer));
    SPARSERL_CHECK(settleBegin(directory, tokenizer));
    return tokenizer;
}

} // namespace sparserl
