// SPDX-License-Identifier: Apache-2.0
// tokenizer.json as Hugging Face's `tokenizers` writes it.
#include "policy/tokenizer/byte_alphabet.h"
#include "policy/tokenizer/file_steps.h"
#include "policy/tokenizer/post_processor.h"
#include "policy/tokenizer/tokenizer_tables.h"

#include "base/failure.h"
#include "base/files.h"
#include "base/json.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace sparserl {

namespace {

using nlohmann::json;

const std::string remedy = publishedTokenizer;

bool isSet(const json& object, const char* key)
{
    const json found = object.value(key, json());
    if (found.is_string())
        return !found.get_ref<const std::string&>().empty();
    return !found.is_null() && found != false && found != 0;
}

/// What `tokenizers` would do to a text and we do not.
Status checkKnown(const json& value, const json& model)
{
    const auto known = [](const json& object, std::initializer_list<std::string_view> keys) -> Status {
        for (const auto& [key, member] : object.items()) {
            if (std::find(keys.begin(), keys.end(), key) == keys.end())
                return fail("\"" + key + "\" is not known here", remedy);
        }
        return {};
    };
    SPARSERL_CHECK(known(value, {"version", "truncation", "padding", "added_tokens", "normalizer",
                                 "pre_tokenizer", "post_processor", "decoder", "model"}));
    SPARSERL_CHECK(
        known(model, {"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix",
                      "fuse_unk", "byte_fallback", "ignore_merges", "vocab", "merges"}));
    for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"}) {
        if (isSet(model, key))
            return fail(fmt::format("the model sets \"{}\", which is not known here", key), remedy);
    }
    return {};
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

/// What decoding replaces in a token whose merges began with characters.
struct Decoding
{
    std::string replaced, by;
    bool bytes = false; ///< Whether "<0x0A>" is a byte.
    bool stripsFirstSpace = false;
};

Status readDecodingStep(const json& step, Decoding& decoding)
{
    SPARSERL_TRY(const std::string type, stepType(step, "decoder"));
    if (type == "Replace") {
        SPARSERL_CHECK(checkStepKeys(step, {"pattern", "content"}));
        const json pattern = step.value("pattern", json());
        if (!decoding.replaced.empty() || !pattern.is_object() || pattern.size() != 1)
            return fail("the decoder replaces by rules that are not known here", remedy);
        decoding.replaced = pattern.at("String").get<std::string>();
        decoding.by = step.at("content").get<std::string>();
        if (decoding.by.size() > longestStepText)
            return fail("the decoder inserts a long text", remedy);
        return {};
    }
    if (type == "Strip") {
        SPARSERL_CHECK(checkStepKeys(step, {"content", "start", "stop"}));
        if (step.at("content") != " " || step.at("start") != 1 || step.at("stop") != 0)
            return fail("the decoder strips texts by a rule that is not known here", remedy);
        decoding.stripsFirstSpace = true;
        return {};
    }
    if (type == "ByteFallback") {
        SPARSERL_CHECK(checkStepKeys(step, {}));
        decoding.bytes = true;
        return {};
    }
    if (type == "Fuse")
        return checkStepKeys(step, {});
    return fail("the decoder \"" + type + "\" is not known here", remedy);
}

Result<Decoding> readDecoding(const json& decoder, bool byteLevel)
{
    Decoding decoding;
    if (byteLevel) {
        if (decoder.is_null() || (decoder.is_object() && decoder.value("type", "") == "ByteLevel"))
            return decoding;
        return fail("the tokens are bytes, and the decoder is not \"ByteLevel\"", remedy);
    }
    SPARSERL_TRY(const std::string type, stepType(decoder, "decoder"));
    if (type != "Sequence")
        return fail("the decoder \"" + type + "\" is not known here", remedy);
    SPARSERL_CHECK(checkStepKeys(decoder, {"decoders"}));
    const json& steps = decoder.at("decoders");
    if (!steps.is_array() || steps.size() > mostSteps)
        return fail("the decoder has too many steps", remedy);
    for (const json& step : steps)
        SPARSERL_CHECK(readDecodingStep(step, decoding));
    if (!decoding.bytes)
        return fail("the decoder does not put bytes together (\"ByteFallback\")", remedy);
    return decoding;
}

std::string replacedAll(std::string text, const Decoding& decoding)
{
    if (decoding.replaced.empty())
        return text;
    for (std::size_t at = text.find(decoding.replaced); at != std::string::npos;
         at = text.find(decoding.replaced, at + decoding.by.size()))
        text.replace(at, decoding.replaced.size(), decoding.by);
    return text;
}

/// Reads the parts of a file into tables.
class FileReader
{
public:
    FileReader(const json& value, std::string name)
        : m_value(value)
        , m_model(value["model"])
        , m_name(std::move(name))
    {
    }

    Result<std::shared_ptr<Tokenizer::Tables>> read()
    {
        for (const auto& step : {&FileReader::rules, &FileReader::vocabulary, &FileReader::added,
                                 &FileReader::tokens, &FileReader::merges}) {
            if (const auto done = (this->*step)(); !done)
                return failAt(m_name, 0, done.error().what, done.error().remedy);
        }
        return std::move(m_tables);
    }

private:
    json member(const char* key) const { return m_value.value(key, json()); }

    Status rules()
    {
        Tokenizer::Tables& t = *m_tables;
        SPARSERL_CHECK(checkKnown(m_value, m_model));
        const json rule = member("pre_tokenizer");
        SPARSERL_TRY(t.splitter, Splitter::fromJson(rule));
        SPARSERL_TRY(t.normalizer, Normalizer::fromJson(member("normalizer")));
        t.byteLevel = t.splitter.byteLevel();
        t.preTokenizer = PreTokenizer::File;
        if (rule == preTokenizerJson(PreTokenizer::Code))
            t.preTokenizer = PreTokenizer::Code;
        else if (t.byteLevel && rule.value("type", "") == "ByteLevel" &&
                 !rule.value("add_prefix_space", true) && rule.value("use_regex", true))
            t.preTokenizer = PreTokenizer::Gpt2;
        if (!t.byteLevel && !m_model.value("byte_fallback", false))
            return fail("its tokens are not bytes, and it has no byte tokens for unknown characters "
                        "(\"ByteLevel\", \"byte_fallback\")",
                        remedy);
        t.wholePieces = isSet(m_model, "ignore_merges");
        SPARSERL_TRY(m_decoding, readDecoding(member("decoder"), t.byteLevel));
        t.stripsFirstSpace = m_decoding.stripsFirstSpace;
        for (const char* key : {"normalizer", "pre_tokenizer", "post_processor", "decoder"}) {
            if (m_value.contains(key))
                t.file[key] = m_value[key];
        }
        t.file["model"] = json::object();
        for (const char* key : {"unk_token", "fuse_unk", "byte_fallback", "ignore_merges"}) {
            if (m_model.contains(key))
                t.file["model"][key] = m_model[key];
        }
        return {};
    }

    Status vocabulary()
    {
        for (const auto& [text, id] : m_model["vocab"].items()) {
            if (!id.is_number_integer())
                return fail("the id of token \"" + text + "\" is not an integer", remedy);
            m_ids[text] = id.get<std::int64_t>();
        }
        return {};
    }

    Status added()
    {
        const json list = m_value.value("added_tokens", json::array());
        if (!list.is_array())
            return fail("the added tokens are not a list", remedy);
        for (const json& token : list) {
            if (!token.is_object() || !token.contains("content") || !token["content"].is_string() ||
                !token.contains("id") || !token["id"].is_number_integer())
                return fail("an added token has no content or no id", remedy);
            SPARSERL_CHECK(addOne(token));
        }
        auto& all = m_tables->added;
        std::sort(all.begin(), all.end(),
                  [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
        return {};
    }

    Status addOne(const json& token)
    {
        constexpr std::size_t longest = 1024;
        AddedToken one;
        one.content = token["content"].get<std::string>();
        const auto id = jsonAs<std::int32_t>(token["id"]);
        if (one.content.empty() || one.content.size() > longest || !id)
            return fail(
                fmt::format("an added token has no text, more than {} bytes, or an id out of range", longest),
                remedy);
        one.id = *id;
        const auto known = m_ids.find(one.content);
        one.ofModel = known != m_ids.end() && !m_isAdded.contains(one.content);
        if (known != m_ids.end() && known->second != one.id)
            return fail(
                fmt::format("the token \"{}\" has the ids {} and {}", one.content, known->second, one.id),
                remedy);
        if (!m_isAdded.emplace(one.content, m_tables->added.size()).second)
            return fail("the token \"" + one.content + "\" is added twice", remedy);
        m_ids[one.content] = one.id;
        one.singleWord = token.value("single_word", false);
        one.takesLeft = token.value("lstrip", false);
        one.takesRight = token.value("rstrip", false);
        one.special = token.value("special", false);
        one.normalized = token.value("normalized", !one.special);
        m_tables->added.push_back(std::move(one));
        return {};
    }

    Status tokens()
    {
        Tokenizer::Tables& t = *m_tables;
        t.tokens.resize(m_ids.size());
        t.special.assign(m_ids.size(), false);
        t.spelled.resize(m_ids.size());
        for (const AddedToken& token : t.added) {
            if (token.id < 0 || static_cast<std::size_t>(token.id) >= t.special.size())
                return fail(fmt::format("id {} of token \"{}\" is out of range", token.id, token.content),
                            "Number the tokens from 0 without gaps");
            t.special[static_cast<std::size_t>(token.id)] = token.special;
        }
        bool plain = true;
        for (const auto& [text, id] : m_ids) {
            if (id < 0 || id >= static_cast<std::int64_t>(m_ids.size()) ||
                !t.spelled[static_cast<std::size_t>(id)].empty() || text.empty())
                return fail(fmt::format("id {} of token \"{}\" is out of range or given twice", id, text),
                            "Number the tokens from 0 without gaps");
            const auto at = static_cast<std::size_t>(id);
            t.spelled[at] = text;
            if (t.special[at]) {
                t.tokens[at] = text;
                continue;
            }
            auto bytes = bytesOf(text);
            plain = plain && t.byteLevel && bytes;
            t.tokens[at] = std::move(bytes).value_or(text); // as `tokenizers` decodes what is no byte
        }
        // A token that is found in the text as the normalizer leaves it stands for that text.
        PatternWork work(0);
        for (const AddedToken& token : t.added) {
            if (token.special || !token.normalized || t.normalizer.isNothing())
                continue;
            const std::string text = t.normalizer.apply(token.content, work);
            t.tokens[static_cast<std::size_t>(token.id)] = bytesOf(text).value_or(text);
            plain = false;
        }
        if (plain)
            t.spelled.clear();
        return {};
    }

    /// What a token stands for; nothing where it is spelled otherwise than in GPT-2's alphabet.
    std::optional<std::string> bytesOf(const std::string& spelling) const
    {
        if (m_tables->byteLevel)
            return fromByteAlphabet(spelling);
        if (const int byte = namedByte(spelling); byte >= 0)
            return std::string(1, static_cast<char>(byte));
        return replacedAll(spelling, m_decoding);
    }

    Status merges()
    {
        for (const json& entry : m_model["merges"]) {
            const auto merge = mergeFromJson(entry);
            const auto left = merge ? m_ids.find(merge->first) : m_ids.end();
            const auto right = merge ? m_ids.find(merge->second) : m_ids.end();
            if (left == m_ids.end() || right == m_ids.end())
                return fail(fmt::format("merge {} is not a pair of known tokens", m_tables->mergeList.size()),
                            remedy);
            m_tables->mergeList.emplace_back(static_cast<std::int32_t>(left->second),
                                             static_cast<std::int32_t>(right->second));
        }
        return {};
    }

    const json& m_value;
    const json& m_model;
    std::string m_name;
    std::shared_ptr<Tokenizer::Tables> m_tables = std::make_shared<Tokenizer::Tables>();
    Decoding m_decoding;
    std::unordered_map<std::string, std::int64_t> m_ids;
    std::unordered_map<std::string, std::size_t> m_isAdded;
};

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
    SPARSERL_TRY(auto tables, FileReader(value, name).read());
    SPARSERL_TRY(auto tokenizer, build(std::move(tables), name));
    tokenizer.setEnd(tokenizer.addedToken(specialTokenNames[eosId]).value_or(-1));
    if (value.contains("post_processor"))
        tokenizer.setBegin(tokenizer.addedToken(firstTokenOf(value["post_processor"])).value_or(-1));
    return tokenizer;
} catch (const json::exception& error) {
    return failAt(name, 0, std::string("a value has the wrong type: ") + error.what(), remedy);
} catch (const Failure& failure) {
    return failAt(name, 0, failure.error().what, failure.error().remedy);
}

Result<Tokenizer> Tokenizer::load(const std::filesystem::path& file)
{
    SPARSERL_TRY(const json value, readJson(file));
    return fromJson(value, file.string());
}

} // namespace sparserl
