// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace sparserl {

/// The regular expression of a tokenizer.json, which Hugging Face's `tokenizers` gives to Oniguruma (Ruby's
/// syntax), as one of PCRE2 with UTF, UCP and MULTILINE that finds the same. Knows what published
/// pre-tokenizers are written with: characters, classes, properties, groups, lookaround, alternatives and
/// repeats. Refuses all else in a sentence (references, recursion, conditions, options within a group), and
/// what is longer than 16 KiB or nested more than 32 deep.
Result<std::string> pcrePattern(std::string_view pattern);

} // namespace sparserl
