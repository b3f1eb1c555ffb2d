// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/byte_alphabet.h"
#include "policy/tokenizer/tokenizer_tables.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

using nlohmann::json;

std::string Tokenizer::Tables::spelling(std::size_t id) const
{
    if (!spelled.empty())
        return spelled[id];
    return special[id] ? tokens[id] : toByteAlphabet(tokens[id]);
}

namespace {

/// Whether a text of UTF-8 may hold the byte.
bool isInUtf8(int byte)
{
    return byte < 0xF5 && byte != 0xC0 && byte != 0xC1;
}

/// Whether texts of programs hold the byte.
bool isOfPrograms(int byte)
{
    return (byte >= ' ' && byte <= '~') || byte == '\n' || byte == '\t';
}

} // namespace

Result<Tokenizer> Tokenizer::build(std::shared_ptr<Tables> tables, const std::string& name)
{
    Tables& t = *tables;
    std::vector<bool> ofModel(t.tokens.size(), true);
    for (const AddedToken& token : t.added)
        ofModel[static_cast<std::size_t>(token.id)] = token.ofModel;
    std::unordered_map<std::string, std::int32_t> idOf;
    idOf.reserve(t.tokens.size());
    t.byteToken.fill(-1);
    for (std::size_t id = 0; id < t.tokens.size(); ++id) {
        if (t.special[id] || !ofModel[id])
            continue;
        const std::string spelling = t.spelling(id);
        if (!idOf.emplace(spelling, static_cast<std::int32_t>(id)).second)
            return failAt(name, 0, fmt::format("token {} repeats the bytes of another", id),
                          "Write the vocabulary again");
        const int byte = !t.byteLevel               ? namedByte(spelling)
                         : t.tokens[id].size() == 1 ? static_cast<unsigned char>(t.tokens[id][0])
                                                    : -1;
        if (byte >= 0 && (!t.byteLevel || t.spelled.empty() || spelling == toByteAlphabet(t.tokens[id])))
            t.byteToken[static_cast<std::size_t>(byte)] = static_cast<std::int32_t>(id);
    }
    for (int byte = 0; byte < 256; ++byte) {
        if (t.byteToken[static_cast<std::size_t>(byte)] >= 0)
            continue;
        t.allBytes = false;
        t.allOfUtf8 = t.allOfUtf8 && !isInUtf8(byte);
        // A token for unknown characters would take the place of the others.
        const bool unknown = t.file.is_object() && !t.file["model"].value("unk_token", json()).is_null();
        if (!t.byteLevel || isOfPrograms(byte) || (unknown && isInUtf8(byte)))
            return failAt(
                name, 0, fmt::format("the vocabulary has no token for byte {}", byte),
                "Use a byte-level BPE, which covers the bytes of programs, or one with byte fallback");
    }
    t.merges.reserve(t.mergeList.size());
    for (std::size_t rank = 0; rank < t.mergeList.size(); ++rank) {
        const auto [left, right] = t.mergeList[rank];
        const auto l = static_cast<std::size_t>(left), r = static_cast<std::size_t>(right);
        const auto merged = idOf.find(t.spelling(l) + t.spelling(r));
        if (t.special[l] || t.special[r] || !ofModel[l] || !ofModel[r] || merged == idOf.end())
            return failAt(name, 0, fmt::format("merge {} makes a token that is not in the vocabulary", rank),
                          "Take merges and vocabulary from the same training");
        // The last of two equal merges counts, as in `tokenizers`.
        t.merges[pairKey(left, right)] = {static_cast<std::int32_t>(rank), merged->second};
    }
    if (t.wholePieces || !t.byteLevel)
        t.idOf = std::move(idOf);
    PatternWork work(0);
    for (const AddedToken& token : t.added) {
        if (token.normalized && !t.normalizer.isNothing())
            t.inNormalized.add(token, t.normalizer.apply(token.content, work));
        else
            (token.normalized ? t.inNormalized : t.inText).add(token, token.content);
    }
    return Tokenizer(std::shared_ptr<const Tables>(std::move(tables)));
}

Result<Tokenizer> Tokenizer::buildOwn(std::vector<std::string> tokens, std::vector<bool> special,
                                      std::vector<std::pair<std::int32_t, std::int32_t>> merges,
                                      PreTokenizer preTokenizer)
{
    auto tables = std::make_shared<Tables>();
    for (std::size_t id = 0; id < tokens.size(); ++id) {
        if (special[id])
            tables->added.push_back({.id = static_cast<std::int32_t>(id), .content = tokens[id]});
    }
    tables->tokens = std::move(tokens);
    tables->special = std::move(special);
    tables->mergeList = std::move(merges);
    tables->preTokenizer = preTokenizer;
    return build(std::move(tables), {});
}

Tokenizer::Tokenizer(std::shared_ptr<const Tables> tables)
    : m_tables(std::move(tables))
{
}

Tokenizer::Tokenizer()
{
    std::vector<bool> special;
    std::vector<std::string> tokens = initialTokens(special);
    *this = *buildOwn(std::move(tokens), std::move(special), {}, PreTokenizer::Code);
}

std::vector<std::string> initialTokens(std::vector<bool>& special)
{
    std::vector<std::string> tokens(std::begin(specialTokenNames), std::end(specialTokenNames));
    special.assign(tokens.size(), true);
    for (int byte = 0; byte < 256; ++byte) {
        tokens.emplace_back(1, static_cast<char>(byte));
        special.push_back(false);
    }
    return tokens;
}

int Tokenizer::vocabSize() const
{
    return static_cast<int>(m_tables->tokens.size());
}

PreTokenizer Tokenizer::preTokenizer() const
{
    return m_tables->preTokenizer;
}

std::string_view Tokenizer::bytes(std::int32_t id) const
{
    if (id < 0 || id >= vocabSize() || id == m_end || m_tables->special[id])
        return {};
    return m_tables->tokens[id];
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const
{
    std::string text;
    for (const std::int32_t id : ids)
        text += bytes(id);
    if (m_tables->stripsFirstSpace && text.starts_with(' '))
        text.erase(0, 1);
    return text;
}

std::optional<std::int32_t> Tokenizer::addedToken(std::string_view name) const
{
    for (const AddedToken& token : m_tables->added) {
        if (token.content == name)
            return token.id;
    }
    return std::nullopt;
}

bool Tokenizer::hasAllBytes() const
{
    return m_tables->allOfUtf8;
}

bool Tokenizer::beginsAsOurs() const
{
    for (std::int32_t id = 0; id < specialCount; ++id) {
        if (id >= vocabSize() || !m_tables->special[static_cast<std::size_t>(id)] ||
            m_tables->tokens[static_cast<std::size_t>(id)] != specialTokenNames[id])
            return false;
    }
    return true;
}

} // namespace sparserl
