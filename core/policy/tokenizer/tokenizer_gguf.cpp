// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/tokenizer_gguf.h"

#include "base/printable.h"
#include "policy/files/gguf_file.h"
#include "policy/tokenizer/named_rules.h"
#include "policy/tokenizer/tokenizer_import.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl {

namespace {

using nlohmann::json;

/// What a token is to llama.cpp ("tokenizer.ggml.token_type").
enum TokenType : std::int64_t
{
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5
};

const std::string remedy = "Convert the model again";

class GgufTokenizerReader
{
public:
    GgufTokenizerReader(const GgufHeader& header, std::string file)
        : m_header(header)
        , m_file(std::move(file))
    {
    }

    Result<Tokenizer> read()
    {
        if (const auto done = settings(); !done)
            return failAt(m_file, 0, done.error().what, done.error().remedy);
        SPARSERL_TRY(auto tokenizer, Tokenizer::fromJson(m_json, m_file));
        if (const auto done = ends(tokenizer); !done)
            return failAt(m_file, 0, done.error().what, done.error().remedy);
        return tokenizer;
    }

private:
    Status settings()
    {
        m_json["decoder"] = {
            {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
        m_json["model"] = {{"type", "BPE"}};
        SPARSERL_TRY(const auto model, m_header.text("tokenizer.ggml.model"));
        if (!model)
            return fail(GgufHeader::missing("tokenizer.ggml.model"));
        if (*model != "gpt2")
            return fail(
                fmt::format("the tokenizer is of the kind \"{}\"; byte-level BPE (\"gpt2\") is read", *model),
                "Import the model from its Hugging Face directory, whose tokenizer.json is read");
        SPARSERL_TRY(const auto named, m_header.text("tokenizer.ggml.pre"));
        const std::string name(named.value_or("default"));
        const auto rules = addNamedRules(name, m_json);
        if (!rules)
            return fail(fmt::format("texts are cut by the rule \"{}\", which is not known here", name),
                        "Use a model with one of " + knownRules() +
                            ", or import it from its Hugging Face directory, which holds the rule itself");
        m_begins = rules->begins;
        SPARSERL_CHECK(tokens());
        return merges();
    }

    Status tokens()
    {
        SPARSERL_TRY(auto texts, m_header.texts("tokenizer.ggml.tokens"));
        SPARSERL_TRY(const auto types, m_header.integers("tokenizer.ggml.token_type"));
        if (!texts || texts->empty())
            return fail(GgufHeader::missing("tokenizer.ggml.tokens"));
        if (types && types->size() != texts->size())
            return fail(fmt::format("{} tokens have {} types", texts->size(), types->size()), remedy);
        const auto typeOf = [&](std::size_t id) { return types ? (*types)[id] : 1; };
        while (!texts->empty() && typeOf(texts->size() - 1) == Unused)
            texts->pop_back();
        json vocabulary = json::object(), added = json::array();
        for (std::size_t id = 0; id < texts->size(); ++id) {
            const std::string text((*texts)[id]);
            if (!isUtf8(text))
                return fail(fmt::format("token {} is not UTF-8 text", id), remedy);
            const auto type = typeOf(id);
            if (type == Unknown || type == Control || type == UserDefined || type == Unused)
                added.push_back({{"id", id},
                                 {"content", text},
                                 {"single_word", false},
                                 {"lstrip", false},
                                 {"rstrip", false},
                                 {"normalized", false},
                                 {"special", type != UserDefined}});
            else if (!vocabulary.emplace(text, id).second)
                return fail(fmt::format("token {} is there twice", id), remedy);
        }
        m_count = static_cast<std::int64_t>(texts->size());
        m_json["model"]["vocab"] = std::move(vocabulary);
        m_json["added_tokens"] = std::move(added);
        return {};
    }

    Status merges()
    {
        SPARSERL_TRY(const auto texts, m_header.texts("tokenizer.ggml.merges"));
        if (!texts)
            return fail(GgufHeader::missing("tokenizer.ggml.merges"));
        json merges = json::array();
        for (const std::string_view text : *texts) {
            if (!isUtf8(text))
                return fail("a merge is not UTF-8 text", remedy);
            merges.push_back(std::string(text));
        }
        m_json["model"]["merges"] = std::move(merges);
        return {};
    }

    /// The token of a role; nothing where the file says none.
    Result<std::optional<std::int32_t>> role(const char* key) const
    {
        SPARSERL_TRY(const auto id, m_header.integer(key));
        if (!id)
            return std::nullopt;
        if (*id < 0 || *id >= m_count)
            return fail(fmt::format("{} is {}, which is not a token", key, *id), remedy);
        return static_cast<std::int32_t>(*id);
    }

    Status ends(Tokenizer& tokenizer) const
    {
        SPARSERL_TRY(const auto end, role("tokenizer.ggml.eos_token_id"));
        if (end)
            tokenizer.setEnd(*end);
        if (tokenizer.end() < 0)
            return fail("no value says which token ends a text (tokenizer.ggml.eos_token_id)", remedy);
        SPARSERL_TRY(const auto begins, m_header.flag("tokenizer.ggml.add_bos_token"));
        if (!begins.value_or(m_begins))
            return {};
        SPARSERL_TRY(const auto begin, role("tokenizer.ggml.bos_token_id"));
        if (!begin)
            return fail("a token begins texts, and no value says which (tokenizer.ggml.bos_token_id)",
                        remedy);
        tokenizer.setBegin(*begin);
        return {};
    }

    const GgufHeader& m_header;
    std::string m_file;
    std::int64_t m_count = 0;
    bool m_begins = false; ///< Where the file does not say it.
    json m_json = json::object();
};

} // namespace

Result<Tokenizer> tokenizerFromGguf(const GgufHeader& header, const std::string& file)
{
    return GgufTokenizerReader(header, file).read();
}

Result<Tokenizer> readTokenizer(const std::filesystem::path& path)
{
    SPARSERL_TRY(const auto gguf, ggufAt(path));
    if (!gguf)
        return readHuggingFaceTokenizer(path);
    SPARSERL_TRY(const auto file, GgufFile::open(*gguf));
    auto tokenizer = tokenizerFromGguf(file.header(), gguf->string());
    SPARSERL_CHECK(file.whole());
    return tokenizer;
}

} // namespace sparserl
