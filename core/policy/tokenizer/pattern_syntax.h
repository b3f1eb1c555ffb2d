// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace sparserl {

/// Converts the regular expression of a tokenizer.json, which Hugging Face's `tokenizers` compiles with
/// Oniguruma (Ruby's syntax), to an equivalent PCRE2 pattern with UTF, UCP and MULTILINE. Supports the
/// constructs of published pre-tokenizers: characters, classes, properties, groups, lookaround, alternatives
/// and repeats. Refuses all others (references, recursion, conditions, options within a group), patterns over
/// 16 KiB, and nesting deeper than 32.
Result<std::string> pcrePattern(std::string_view pattern);

} // namespace sparserl
