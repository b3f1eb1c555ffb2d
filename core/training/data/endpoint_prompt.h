// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/target.h"
#include "training/data/refine_prompt.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// What a model that has never seen a kernel program must know before it writes one:
/// docs/kernel-programs.md, and how to answer.
std::string endpointInstructions();

/// The question for a target: the task (sftPrompt()), the matrix in words (matrixText() with 64 entries), and
/// a program to improve on if there is one.
std::string endpointQuestion(const Target& target, const std::optional<ProgramToRefine>& from,
                             std::uint64_t seed);

/// The program in a model's answer: the last fenced block that begins with a plan line; otherwise the text
/// from the first plan line on. Empty if the answer has no plan line. Ends with a line break.
std::string programInAnswer(std::string_view answer);

} // namespace sparserl
