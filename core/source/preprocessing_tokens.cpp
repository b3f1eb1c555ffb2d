// SPDX-License-Identifier: Apache-2.0
#include "source/preprocessing_tokens.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace sparserl {

namespace {

bool isNameStart(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80);
}
bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
bool isNamePart(char c)
{
    return isNameStart(c) || isDigit(c);
}
bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

class Tokenizer
{
public:
    explicit Tokenizer(std::string_view code)
        : m_code(code)
    {
    }
    SourceTokens run();

private:
    bool splice();
    bool refuse(std::size_t at, std::string reason);
    bool next();
    bool comment();
    bool quoted(std::size_t start);
    bool raw(std::size_t start, std::size_t quote);
    void take(SourceToken::Kind kind, std::size_t start, std::size_t end);
    char at(std::size_t i) const { return i < m_text.size() ? m_text[i] : '\0'; }
    bool starts(std::string_view text) const
    {
        return std::string_view(m_text).substr(m_at, text.size()) == text;
    }

    std::string_view m_code;
    std::string m_text;                  ///< Spliced.
    std::vector<std::uint32_t> m_origin; ///< Of each byte of m_text in m_code.
    std::vector<std::uint32_t> m_lines;  ///< Offsets of line feeds in m_code.
    std::size_t m_at = 0;
    bool m_lineStart = true; ///< Only blanks and comments stood on this line.
    bool m_directive = false;
    bool m_brokenLine = false; ///< A comment behind tokens of this line holds a line feed.
    SourceTokens m_result;
};

bool Tokenizer::refuse(std::size_t at, std::string reason)
{
    const std::size_t origin = at < m_origin.size() ? m_origin[at] : m_code.size();
    const auto line = std::lower_bound(m_lines.begin(), m_lines.end(), origin) - m_lines.begin();
    m_result.refusal = Refusal{static_cast<int>(line) + 1, std::move(reason)};
    return false;
}

bool Tokenizer::splice()
{
    m_text.reserve(m_code.size());
    m_origin.reserve(m_code.size());
    for (std::size_t i = 0; i < m_code.size(); ++i)
        if (m_code[i] == '\n')
            m_lines.push_back(static_cast<std::uint32_t>(i));
    for (std::size_t i = 0; i < m_code.size(); ++i) {
        const char c = m_code[i];
        const auto here = [&](std::string reason) {
            m_origin.push_back(static_cast<std::uint32_t>(i));
            return refuse(m_origin.size() - 1, std::move(reason));
        };
        if (c == '\0')
            return here("the program contains a NUL byte");
        if (c == '\x1a')
            return here("the program contains Ctrl-Z, which some compilers take for its end");
        if (c == '\r' && i + 1 < m_code.size() && m_code[i + 1] != '\n')
            return here("a carriage return stands alone: it ends a line for some compilers only");
        if (c == '?' && i + 2 < m_code.size() && m_code[i + 1] == '?' &&
            (m_code[i + 2] == '/' || m_code[i + 2] == '='))
            return here("the trigraph ?\?" + std::string(1, m_code[i + 2]) +
                        " means different things to different compilers");
        if (c == '\\') {
            std::size_t end = i + 1;
            while (end < m_code.size() && isBlank(m_code[end]))
                ++end;
            const bool ends = end < m_code.size() && m_code[end] == '\n';
            if (ends && (end == i + 1 || (end == i + 2 && m_code[i + 1] == '\r'))) {
                i = end;
                continue;
            }
            if (ends)
                return here(
                    "blanks stand between a backslash and the end of its line: compilers differ in whether "
                    "that joins the lines");
        }
        m_text += c;
        m_origin.push_back(static_cast<std::uint32_t>(i));
    }
    return true;
}

void Tokenizer::take(SourceToken::Kind kind, std::size_t start, std::size_t end)
{
    SourceToken token;
    token.kind = kind;
    token.text = m_text.substr(start, end - start);
    token.begin = start < m_origin.size() ? m_origin[start] : m_code.size();
    token.line =
        static_cast<int>(std::lower_bound(m_lines.begin(), m_lines.end(), token.begin) - m_lines.begin()) + 1;
    token.directive = m_directive;
    m_result.tokens.push_back(std::move(token));
    m_at = end;
    m_lineStart = false;
}

/// Skips a comment; false where there is none.
bool Tokenizer::comment()
{
    if (starts("//")) {
        m_at = std::min(m_text.find('\n', m_at), m_text.size());
        return true;
    }
    if (starts("/*")) {
        const auto end = m_text.find("*/", m_at + 2);
        const std::size_t behind = end == std::string::npos ? m_text.size() : end + 2;
        m_brokenLine = m_brokenLine || (!m_lineStart && m_text.find('\n', m_at) < behind);
        m_at = behind;
        return true;
    }
    return false;
}

/// A string or character literal whose opening quote stands at m_at; `start` is where its prefix starts.
bool Tokenizer::quoted(std::size_t start)
{
    const char quote = m_text[m_at];
    std::size_t end = m_at + 1;
    while (end < m_text.size() && m_text[end] != quote && m_text[end] != '\n')
        end += m_text[end] == '\\' && at(end + 1) != '\n' && end + 1 < m_text.size() ? 2 : 1;
    if (at(end) == quote)
        ++end;
    take(SourceToken::Kind::String, start, end);
    return true;
}

bool Tokenizer::raw(std::size_t start, std::size_t quote)
{
    std::size_t open = quote + 1;
    while (open < m_text.size() && m_text[open] != '(') {
        const char c = m_text[open];
        if (open - quote > 16 || c == ')' || c == '\\' || c == '"' || c == '\n' || isBlank(c))
            return refuse(start, "a raw string starts wrongly");
        ++open;
    }
    const std::string close = ")" + m_text.substr(quote + 1, open - quote - 1) + "\"";
    const std::size_t end = m_text.find(close, open);
    if (open >= m_text.size() || end == std::string::npos)
        return refuse(start, "a raw string does not end");
    const std::size_t last = end + close.size() - 1;
    // In a raw string nothing is spliced. Where nothing was, its text is the same before and after.
    if (m_origin[last] - m_origin[start] != last - start)
        return refuse(start,
                      "a backslash at the end of a line in a raw string is read differently by compilers");
    take(SourceToken::Kind::String, start, last + 1);
    return true;
}

bool Tokenizer::next()
{
    const char c = m_text[m_at];
    if (c == '\n') {
        if (m_directive)
            take(SourceToken::Kind::LineEnd, m_at, m_at + 1);
        else
            ++m_at;
        m_lineStart = true;
        m_directive = m_brokenLine = false;
        return true;
    }
    if (isBlank(c)) {
        ++m_at;
        return true;
    }
    if (comment())
        return true;
    if (c == '"' || c == '\'')
        return quoted(m_at);
    if (isDigit(c) || (c == '.' && isDigit(at(m_at + 1)))) {
        std::size_t end = m_at + 1;
        while (end < m_text.size()) {
            const char d = m_text[end], before = m_text[end - 1];
            const bool sign =
                (d == '+' || d == '-') && std::string_view("eEpP").find(before) != std::string_view::npos;
            const bool separator = d == '\'' && isNamePart(at(end + 1));
            if (!isNamePart(d) && d != '.' && !sign && !separator)
                break;
            ++end;
        }
        take(SourceToken::Kind::Number, m_at, end);
        return true;
    }
    if (isNameStart(c)) {
        const std::size_t start = m_at;
        std::size_t end = m_at + 1;
        while (end < m_text.size() && isNamePart(m_text[end]))
            ++end;
        const std::string_view name = std::string_view(m_text).substr(start, end - start);
        if (at(end) == '"' && (name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R"))
            return raw(start, end);
        if ((at(end) == '"' || at(end) == '\'') &&
            (name == "L" || name == "u" || name == "U" || name == "u8")) {
            m_at = end;
            return quoted(start);
        }
        take(SourceToken::Kind::Name, start, end);
        return true;
    }
    if (c == '\\' && (at(m_at + 1) == 'u' || at(m_at + 1) == 'U' || at(m_at + 1) == 'N'))
        return refuse(m_at,
                      "a universal character name outside a string can spell any name: write it plainly");
    const std::size_t length = starts("%:%:") ? 4 : starts("##") || starts("%:") || starts("::") ? 2 : 1;
    const bool hash = c == '#' || starts("%:");
    if (hash && m_brokenLine)
        return refuse(m_at,
                      "a # after a comment of several lines: for some compilers a directive starts there");
    if (hash && m_lineStart && length < 3 && !starts("##")) {
        m_directive = true;
        take(SourceToken::Kind::Hash, m_at, m_at + length);
        return true;
    }
    take(SourceToken::Kind::Punctuation, m_at, m_at + length);
    return true;
}

SourceTokens Tokenizer::run()
{
    if (!splice())
        return std::move(m_result);
    while (m_at < m_text.size())
        if (!next())
            return std::move(m_result);
    if (m_directive)
        take(SourceToken::Kind::LineEnd, m_text.size(), m_text.size());
    return std::move(m_result);
}

} // namespace

SourceTokens tokenizeSource(std::string_view code)
{
    return Tokenizer(code).run();
}

} // namespace sparserl
