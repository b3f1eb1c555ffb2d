// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/added_tokens.h"

#include "policy/tokenizer/unicode_classes.h"
#include "policy/tokenizer/utf8.h"

#include <algorithm>
#include <utf8proc.h>

namespace sparserl {

namespace {

/// What \w is to the regular expressions of `tokenizers`: letters, marks, decimal digits and numbers that are
/// letters, connectors, joiners, circled letters.
bool isOfWord(std::uint32_t code)
{
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
        return true;
    default:
        return code == 0x200C || code == 0x200D || (code >= 0x24B6 && code <= 0x24E9) ||
               (code >= 0x1F130 && code <= 0x1F149) || (code >= 0x1F150 && code <= 0x1F169) ||
               (code >= 0x1F170 && code <= 0x1F189);
    }
}

std::uint64_t edge(std::int32_t node, char byte)
{
    return static_cast<std::uint64_t>(node) << 8 | static_cast<unsigned char>(byte);
}

} // namespace

void AddedTokenFinder::add(const AddedToken& token, const std::string& content)
{
    std::int32_t node = 0;
    for (const char byte : content) {
        const auto [place, isNew] =
            m_edges.try_emplace(edge(node, byte), static_cast<std::int32_t>(m_tokenAt.size()));
        if (isNew)
            m_tokenAt.push_back(-1);
        node = place->second;
    }
    if (node == 0 || m_tokenAt[static_cast<std::size_t>(node)] >= 0)
        return;
    m_tokenAt[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(m_tokens.size());
    m_tokens.push_back({token.id, token.singleWord, token.takesLeft, token.takesRight, token.special});
    m_ordinary = m_ordinary || !token.special;
}

std::pair<std::int32_t, std::size_t> AddedTokenFinder::longestAt(std::string_view text, std::size_t at) const
{
    std::pair<std::int32_t, std::size_t> longest{-1, at};
    std::int32_t node = 0;
    for (std::size_t i = at; i < text.size();) {
        const auto next = m_edges.find(edge(node, text[i]));
        if (next == m_edges.end())
            break;
        node = next->second;
        ++i;
        if (const std::int32_t token = m_tokenAt[static_cast<std::size_t>(node)]; token >= 0)
            longest = {token, i};
    }
    return longest;
}

std::vector<AddedTokenFinder::Part> AddedTokenFinder::find(std::string_view text, bool special) const
{
    std::vector<Part> parts;
    std::size_t taken = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto [index, matchEnd] = longestAt(text, at);
        if (index < 0) {
            ++at;
            continue;
        }
        std::size_t begin = at, end = matchEnd;
        at = matchEnd;
        const Entry& token = m_tokens[static_cast<std::size_t>(index)];
        if (token.special && !special)
            continue;
        if (token.singleWord) {
            const auto before = utf8CharacterBefore(text, begin);
            const auto after = end < text.size() ? utf8CharacterAt(text, end) : Utf8Character();
            if ((before.size > 0 && isOfWord(before.code)) || (after.size > 0 && isOfWord(after.code)))
                continue;
        }
        if (token.takesLeft) {
            for (auto before = utf8CharacterBefore(text, begin);
                 before.size > 0 && begin > taken && isUnicodeSpace(before.code);
                 before = utf8CharacterBefore(text, begin))
                begin -= before.size;
        }
        begin = std::max(begin, taken);
        if (token.takesRight) {
            while (end < text.size()) {
                const auto after = utf8CharacterAt(text, end);
                if (after.size == 0 || !isUnicodeSpace(after.code))
                    break;
                end += after.size;
            }
        }
        if (taken < begin)
            parts.push_back({taken, begin, -1});
        parts.push_back({begin, end, token.id});
        taken = end;
    }
    if (taken < text.size())
        parts.push_back({taken, text.size(), -1});
    return parts;
}

} // namespace sparserl
