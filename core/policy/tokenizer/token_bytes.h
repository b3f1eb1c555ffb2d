// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/tokenizer/tokenizer.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sparserl {

/// Returns how many bytes each token adds to the text of all, validUtf8(tokenizer.decode(tokens)). A token
/// that ends within a character adds none of it: the token that completes the character adds it.
std::vector<std::size_t> bytesOfTokens(const Tokenizer& tokenizer, std::span<const std::int32_t> tokens);

} // namespace sparserl
