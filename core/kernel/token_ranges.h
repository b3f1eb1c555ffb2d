// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "source/lexer.h"

#include <span>
#include <vector>

namespace sparserl {

using TokenRange = std::span<const Token>;

/// Returns the index of the bracket that matches tokens[open], or tokens.size() if there is none.
std::size_t matchingClose(TokenRange tokens, std::size_t open);
/// Splits tokens at each `separator` outside brackets. Returns at least one piece; pieces may be empty.
std::vector<TokenRange> splitTopLevel(TokenRange tokens, std::string_view separator);

} // namespace sparserl
