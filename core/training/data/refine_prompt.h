// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/target_id.h"
#include "verdict/program_profile.h"

#include <string>

namespace sparserl {

/// A correct program that a policy is asked to improve for the same target.
struct ProgramToRefine
{
    std::string text;
    double microseconds = 0; ///< Per call.
    double speedup = 0;      ///< Over the baseline; 0: unknown.
    ProgramProfile profile;
};

ProgramToRefine programToRefine(std::string text, const VerdictRecord& record);

/// Returns a prompt with the task in words (sftPrompt()), a program with its time and profile, and the
/// request for a faster program. Numbers are rounded, so that small differences between measurements rarely
/// change the prompt.
std::string refinePrompt(const TargetVariant& variant, const ProgramToRefine& program);

} // namespace sparserl
