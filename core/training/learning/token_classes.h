// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/model/sequence_batch.h"
#include "policy/tokenizer/tokenizer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sparserl {

/// Returns the class of each token: Plan in the plan lines of a program ("//!", which correspond to
/// TritonRL's reasoning), otherwise Code, also for end-of-sequence. A token belongs to the line of its first
/// byte that is not a newline.
std::vector<TokenClass> classesOf(const Tokenizer& tokenizer, std::span<const std::int32_t> tokens);

} // namespace sparserl
