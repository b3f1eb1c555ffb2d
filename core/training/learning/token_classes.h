// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/model/sequence_batch.h"
#include "policy/tokenizer/tokenizer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sparserl {

/// Plan for each token in a program's plan lines ("//!", which correspond to TritonRL's reasoning), Code for
/// all others, including end-of-sequence. A token belongs to the line of its first byte other than a newline.
std::vector<TokenClass> classesOf(const Tokenizer& tokenizer, std::span<const std::int32_t> tokens);

} // namespace sparserl
