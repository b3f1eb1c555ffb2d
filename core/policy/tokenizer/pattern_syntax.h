// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace sparserl {

/// Converts a regular expression in a tokenizer.json to an equivalent PCRE2 pattern for the options UTF, UCP
/// and MULTILINE. Hugging Face's `tokenizers` compiles such expressions with Oniguruma (Ruby's syntax).
/// Supports the constructs that published pre-tokenizers use: characters, classes, properties, groups,
/// lookaround, alternatives and repeats. Fails for all other constructs (references, recursion, conditions,
/// options within a group), for patterns of more than 16 KiB, and for more than 32 levels of nesting.
Result<std::string> pcrePattern(std::string_view pattern);

} // namespace sparserl
