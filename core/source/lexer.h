// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A token of CUDA C++. `text` points into the source, and includes any line splices.
struct Token
{
    enum class Kind
    {
        Identifier, ///< Includes keywords.
        Number,
        String, ///< With its prefix. Includes raw strings.
        Char,
        Punctuator,
        Comment,
        Directive, ///< A whole preprocessor line, including continuation lines.
        Unknown    ///< A byte that cannot start a token, or the rest of an unclosed literal.
    };
    Kind kind = Kind::Unknown;
    std::string_view text;
    std::size_t offset = 0; ///< Number of bytes from the start of the source.
    int line = 1;           ///< From 1.
    int column = 1;         ///< In bytes, from 1.
    bool spliced = false;   ///< Contains a backslash-newline.
    /// False for a literal or comment without an end, which ends with its line or with the file.
    bool closed = true;

    std::string spelling() const; ///< Returns `text` without line splices.
    bool is(std::string_view s) const
    {
        // The first character distinguishes most words and needs no call.
        return text.size() == s.size() && (s.empty() || (text[0] == s[0] && text == s));
    }
};

/// Splits CUDA C++ into tokens, even while the text grows.
class Lexer
{
public:
    /// Returns the next token at or after the current position. Returns nullopt at the end of the text and,
    /// unless `last`, for a token that further text could extend or change. The position then stays the same,
    /// and the call can be repeated with a longer text. `source` may only grow.
    std::optional<Token> next(std::string_view source, bool last);
    std::size_t position() const { return m_position; }
    int line() const { return m_line; }

    /// Returns the number of characters examined so far. However the text grows, this is at most a small
    /// multiple of its length.
    std::size_t steps() const { return m_steps; }

private:
    struct Cursor;
    /// The kind of a token that is not yet complete.
    enum class Inside
    {
        Nothing, ///< No token has started.
        LineComment,
        BlockComment,
        Directive,
        Name,
        Number,
        Quoted,
        Raw,
        Other
    };
    /// What is known about an incomplete token at m_position, so that it need not be read again from its
    /// start when the text has grown.
    struct Unfinished
    {
        Inside inside = Inside::Nothing;
        Inside inner = Inside::Nothing; ///< The state inside a directive.
        Token::Kind kind = Token::Kind::Unknown;
        char quote = '"';
        char previous = '\0';     ///< Previous character of a number.
        std::size_t at = 0;       ///< Position at which reading continues.
        std::size_t searched = 0; ///< The search for the end of a raw string has come this far.
        bool spliced = false;
        /// The splices that were skipped last.
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

/// Returns all tokens of a complete text.
std::vector<Token> cudaTokens(std::string_view source);

} // namespace sparserl
