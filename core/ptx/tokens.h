// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace sparserl::ptx {

/// A token of PTX text. Words are opcodes with their modifiers, directives, names and registers.
struct Token
{
    enum class Kind
    {
        Word,
        Number,
        String,
        Punctuation,
        End
    };
    Kind kind = Kind::End;
    std::string_view text; ///< A view into the PTX text; for a String, without the quotes.
    int line = 1;          ///< Line in the text, from 1.
};

/// Splits PTX text. A comment ends a token, as in ptxas: "%cl/**/ock" is two words. Preprocessor lines,
/// control characters and unterminated comments or strings are errors. The last token is End.
Result<std::vector<Token>> tokenize(std::string_view text);

} // namespace sparserl::ptx
