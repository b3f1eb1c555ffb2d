// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/target_id.h"
#include "verdict/program_profile.h"

#include <string>

namespace sparserl {

/// A correct program for a target that a policy is asked to improve.
struct ProgramToRefine
{
    std::string text;
    double microseconds = 0; ///< Per call.
    double speedup = 0;      ///< Over the baseline; 0: unknown.
    ProgramProfile profile;
};

ProgramToRefine programToRefine(std::string text, const VerdictRecord& record);

/// A prompt with the task in words (sftPrompt()), the time and the profile of a program, the request for a
/// faster one, and the program. Numbers are rounded, so small differences between measurements rarely change
/// the prompt.
std::string refinePrompt(const TargetVariant& variant, const ProgramToRefine& program);

} // namespace sparserl
