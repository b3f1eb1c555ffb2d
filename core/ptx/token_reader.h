// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/tokens.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace sparserl::ptx {

/// A number in PTX notation.
struct Number
{
    std::uint64_t bits = 0;
    int floatBytes = 0; ///< 8 (0d or decimal notation), 4 (0f), or 0 for an integer.
};

/// Reads the tokens of a PTX text in sequence. Errors name the line of the next token.
class TokenReader
{
public:
    /// `tokens` are the tokens of `text`, including End.
    TokenReader(std::string_view text, std::vector<Token> tokens)
        : m_text(text)
        , m_tokens(std::move(tokens))
    {
    }

    const Token& peek(std::size_t ahead = 0) const
    {
        return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)];
    }
    const Token& next() { return m_tokens[m_at + 1 < m_tokens.size() ? m_at++ : m_at]; }
    bool is(std::string_view text) const { return peek().kind != Token::Kind::String && peek().text == text; }
    bool accept(std::string_view text)
    {
        if (!is(text))
            return false;
        next();
        return true;
    }
    tl::unexpected<Error> error(std::string what) const
    {
        return failAt("PTX", peek().line, std::move(what));
    }
    Status expect(std::string_view text);
    /// Reads a word. `what` describes it in an error: "the name of a function".
    Result<std::string_view> word(std::string_view what);
    /// Reads an unsigned integer up to 2^40.
    Result<std::int64_t> integer(std::string_view what);
    /// Reads a number. `negative` says that the preceding token was "-".
    Result<Number> number(bool negative);

    /// These return offsets in the text: of a token, of the next token, and of the end of the last token
    /// read.
    std::size_t offsetOf(std::string_view token) const
    {
        return token.empty() ? m_text.size() : static_cast<std::size_t>(token.data() - m_text.data());
    }
    std::size_t offset() const { return offsetOf(peek().text); }
    std::size_t endOfLast() const
    {
        const std::string_view last = m_tokens[m_at - 1].text;
        return offsetOf(last) + last.size();
    }

private:
    std::string_view m_text;
    std::vector<Token> m_tokens;
    std::size_t m_at = 0;
};

} // namespace sparserl::ptx
