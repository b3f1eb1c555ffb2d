// SPDX-License-Identifier: Apache-2.0
#include "source/words.h"

#include <algorithm>
#include <cctype>

namespace sparserl {

namespace {

bool isDigit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool isNamePart(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

} // namespace

SourceWord SourceWords::take(SourceWord::Kind kind, std::size_t length)
{
    const SourceWord word{kind, m_text.substr(m_at, length)};
    m_at += word.text.size();
    return word;
}

/// Of a number with its separators, too: 1'000.
std::size_t SourceWords::nameLength() const
{
    const bool number = isDigit(m_text[m_at]);
    std::size_t end = m_at + 1;
    while (end < m_text.size() &&
           (isNamePart(m_text[end]) ||
            (number && m_text[end] == '\'' && end + 1 < m_text.size() && isNamePart(m_text[end + 1]))))
        ++end;
    return end - m_at;
}

std::size_t SourceWords::literalLength() const
{
    const char quote = m_text[m_at];
    std::size_t end = m_at + 1;
    while (end < m_text.size() && m_text[end] != quote && m_text[end] != '\n')
        end += m_text[end] == '\\' ? 2 : 1;
    const bool closed = end < m_text.size() && m_text[end] == quote;
    return std::min(end, m_text.size()) + (closed ? 1 : 0) - m_at;
}

std::optional<SourceWord> SourceWords::next()
{
    while (m_at < m_text.size()) {
        const std::string_view rest = m_text.substr(m_at);
        const char c = rest.front();
        if (m_plan == PlanLines::Read && rest.starts_with("//!"))
            return take(SourceWord::Kind::Plan, 3);
        if (rest.starts_with("//")) {
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        } else if (rest.starts_with("/*")) {
            const auto end = m_text.find("*/", m_at + 2);
            m_at = end == std::string_view::npos ? m_text.size() : end + 2;
        } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            ++m_at;
        } else if (isNamePart(c)) {
            return take(SourceWord::Kind::Name, nameLength());
        } else if (c == '"' || c == '\'') {
            return take(SourceWord::Kind::Literal, literalLength());
        } else {
            return take(SourceWord::Kind::Sign, rest.starts_with(">>>") ? 3 : rest.starts_with(">>") ? 2 : 1);
        }
    }
    return std::nullopt;
}

std::uint64_t wordHash(std::string_view word)
{
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : word)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

} // namespace sparserl
