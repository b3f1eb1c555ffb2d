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
    int line = 0; ///< In the program text, from 1.
    std::string reason;
};

/// A preprocessing token of device code.
struct SourceToken
{
    enum class Kind
    {
        Name,
        Number,
        String, ///< Strings, characters and raw strings, with prefix and quotes.
        Hash,   ///< `#` or `%:` as the first token of a line: a directive follows.
        Punctuation,
        LineEnd ///< Only for a line with a directive.
    };
    Kind kind = Kind::Punctuation;
    std::string text;       ///< With lines spliced; digraphs are unchanged.
    std::size_t begin = 0;  ///< Offset of the first byte in the program.
    int line = 1;           ///< In the program, from 1.
    bool directive = false; ///< On the line of a directive.
};

struct SourceTokens
{
    std::vector<SourceToken> tokens;
    /// Set for text that compilers read differently. `tokens` then end at that text.
    std::optional<Refusal> refusal;
};

/// Splits device code into preprocessing tokens as specified by C++17 ([lex.phases] 1 to 3) and implemented
/// by NVRTC; the tests compare both. A splice requires a line feed (or CR LF) directly after the backslash.
/// There are no trigraphs. Raw strings contain no splices. Character literals and strings end with their
/// line. Comments and digit separators are supported. Text that compilers read differently is refused: blanks
/// after a splice, splices in or before raw strings, malformed raw strings, a carriage return alone, a `#`
/// after tokens and a comment of several lines, universal character names outside strings, `??/` and `??=`,
/// NUL and Ctrl-Z.
SourceTokens tokenizeSource(std::string_view code);

} // namespace sparserl
