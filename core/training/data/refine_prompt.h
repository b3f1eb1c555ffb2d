// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/target_id.h"
#include "verdict/program_profile.h"

#include <string>

namespace sparserl {

/// A correct program for a target, which a policy is asked to improve on.
struct ProgramToRefine
{
    std::string text;
    double microseconds = 0; ///< Of one call.
    double speedup = 0;      ///< Over the baseline; 0: not known.
    ProgramProfile profile;
};

ProgramToRefine programToRefine(std::string text, const VerdictRecord& record);

/// The task in words (sftPrompt), then the time and the profile of a program, the request for a faster one,
/// and the program. Numbers are rounded, so that small differences between measurements rarely change it.
std::string refinePrompt(const TargetVariant& variant, const ProgramToRefine& program);

} // namespace sparserl
