// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Why device code is not even given to the compiler.
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
        LineEnd ///< Of a directive's line only.
    };
    Kind kind = Kind::Punctuation;
    std::string text;       ///< Lines spliced; digraphs as written.
    std::size_t begin = 0;  ///< Of its first byte in the program.
    int line = 1;           ///< In the program, from 1.
    bool directive = false; ///< Stands in a directive's line.
};

struct SourceTokens
{
    std::vector<SourceToken> tokens;
    std::optional<Refusal> refusal; ///< What compilers read differently; `tokens` then end there.
};

/// Splits device code as C++17 says ([lex.phases] 1 to 3) and as NVRTC does, which the tests compare: splices
/// only where the line feed (or CR LF) follows the backslash at once, no trigraphs, comments, raw strings in
/// which nothing is spliced, character literals and strings that end with their line, digit separators.
/// Refused is what one compiler reads so and another otherwise: blanks behind a splice, splices in or before
/// raw strings, malformed raw strings, a carriage return alone, a `#` behind tokens and a comment of
/// several lines, universal names outside strings, `??/` and
/// `??=`, NUL and Ctrl-Z.
SourceTokens tokenizeSource(std::string_view code);

} // namespace sparserl
