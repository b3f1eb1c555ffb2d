// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A token of CUDA C++. `text` points into the source and includes line splices if there are any.
struct Token
{
    enum class Kind
    {
        Identifier, ///< Keywords too.
        Number,
        String, ///< With prefix, also raw strings.
        Char,
        Punctuator,
        Comment,
        Directive, ///< A whole preprocessor line, continuation lines included.
        Unknown    ///< A byte no token starts with; the rest of an unclosed literal.
    };
    Kind kind = Kind::Unknown;
    std::string_view text;
    std::size_t offset = 0; ///< Bytes from the start of the source.
    int line = 1;           ///< From 1.
    int column = 1;         ///< In bytes, from 1.
    bool spliced = false;   ///< Has a backslash-newline inside.
    bool closed = true;     ///< False: a literal or comment that ends with its line or the file.

    std::string spelling() const; ///< `text` without splices.
    bool is(std::string_view s) const
    {
        // The first character tells most words apart, without a call.
        return text.size() == s.size() && (s.empty() || (text[0] == s[0] && text == s));
    }
};

/// Splits CUDA C++ into tokens, also while the text is still growing.
class Lexer
{
public:
    /// The next token at or after the current position. Nothing: end of text or, unless `last`, a token that
    /// further text could extend or change; then the position stays and the call can be repeated later with
    /// a longer text. `source` must only ever grow.
    std::optional<Token> next(std::string_view source, bool last);
    std::size_t position() const { return m_position; }
    int line() const { return m_line; }

    /// How many characters were looked at so far: no more than a few for each, however the text grows.
    std::size_t steps() const { return m_steps; }

private:
    struct Cursor;
    /// What a token is, as far as it is known.
    enum class Inside
    {
        Nothing, ///< No token was begun.
        LineComment,
        BlockComment,
        Directive,
        Name,
        Number,
        Quoted,
        Raw,
        Other
    };
    /// The token at m_position, where the text ended before it did: a growing text is not read from there
    /// again each time.
    struct Unfinished
    {
        Inside inside = Inside::Nothing;
        Inside inner = Inside::Nothing; ///< Inside a directive.
        Token::Kind kind = Token::Kind::Unknown;
        char quote = '"';
        char previous = '\0';     ///< Of a number.
        std::size_t at = 0;       ///< Where it is read on.
        std::size_t searched = 0; ///< How far the end of a raw string has been looked for.
        bool spliced = false;
        /// The last splices that were stepped over.
        std::size_t splicesFrom = std::string_view::npos, splicesTo = 0;
    };
    bool skipBlanks(std::string_view source, bool last);
    void begin(Cursor& cursor) const;
    void readPrefix(Cursor& cursor) const;
    void read(Cursor& cursor, Token& token) const;
    std::size_t m_position = 0;
    int m_line = 1;
    std::size_t m_lineStart = 0;
    bool m_lineHasToken = false;
    Unfinished m_open;
    std::size_t m_steps = 0;
};

/// All tokens of a complete text.
std::vector<Token> cudaTokens(std::string_view source);

} // namespace sparserl
