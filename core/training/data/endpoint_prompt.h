// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/target.h"
#include "training/data/refine_prompt.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// Returns the instructions for a model that has never seen a kernel program: docs/kernel-programs.md, and
/// the form of the answer.
std::string endpointInstructions();

/// Returns the question for a target: the task (sftPrompt()), the matrix in words (matrixText() with 64
/// entries), and the program to improve on, if `from` has one.
std::string endpointQuestion(const Target& target, const std::optional<ProgramToRefine>& from,
                             std::uint64_t seed);

/// Extracts the program from a model's answer: the last fenced block that begins with a plan line or, without
/// such a block, the text from the first plan line on. The program ends with a line break. Empty if the
/// answer has no plan line.
std::string programInAnswer(std::string_view answer);

} // namespace sparserl
