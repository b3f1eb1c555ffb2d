// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/model/sequence_batch.h"
#include "policy/tokenizer/tokenizer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sparserl {

/// Plan for each token of a program's plan lines ("//!", what TritonRL's reasoning is to its code), Code for
/// all others, end-of-sequence included. A token belongs to the line of its first byte that is no newline.
std::vector<TokenClass> classesOf(const Tokenizer& tokenizer, std::span<const std::int32_t> tokens);

} // namespace sparserl
