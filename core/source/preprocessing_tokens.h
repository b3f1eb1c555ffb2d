// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The reason why device code is not passed to the compiler.
struct Refusal
{
    int line = 0; ///< Line of the program text, from 1.
    std::string reason;
};

/// A preprocessing token of device code.
struct SourceToken
{
    enum class Kind
    {
        Name,
        Number,
        String, ///< A string, character or raw string, with its prefix and quotes.
        Hash,   ///< `#` or `%:` as the first token of a line, which begins a directive.
        Punctuation,
        LineEnd ///< The end of a line with a directive. Other lines have no such token.
    };
    Kind kind = Kind::Punctuation;
    std::string text;       ///< Without line splices. Digraphs are unchanged.
    std::size_t begin = 0;  ///< Offset of the first byte in the program.
    int line = 1;           ///< Line of the program, from 1.
    bool directive = false; ///< The token is on the line of a directive.
};

struct SourceTokens
{
    std::vector<SourceToken> tokens;
    /// Set if compilers read some text differently. `tokens` then end before that text.
    std::optional<Refusal> refusal;
};

/// Splits device code into preprocessing tokens as C++17 specifies ([lex.phases] 1 to 3) and NVRTC
/// implements; the tests compare both. A splice requires a line feed (or CR LF) directly after the backslash.
/// There are no trigraphs. Raw strings contain no splices. Character literals and strings end with their line
/// at the latest. Comments and digit separators are supported. Text that compilers read differently is
/// refused: blanks after a splice, splices in or before raw strings, malformed raw strings, a carriage return
/// without a line feed, a `#` that follows tokens and a comment of several lines, universal character names
/// outside strings, `??/` and `??=`, NUL and Ctrl-Z.
SourceTokens tokenizeSource(std::string_view code);

} // namespace sparserl
