// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// A program in the project's SFT set. Supervised fine-tuning uses it in addition to corpus programs.
struct ChosenProgram
{
    std::string hash;
    std::string text;                 ///< Empty if the project has lost it.
    std::vector<std::string> targets; ///< TargetId::key() of the chosen targets.
    bool found = false;               ///< Found by a search; not in the set.
};

/// Stores the text of a program in the project's folder sft_set, so it survives its run. Its targets are
/// annotations (Annotation::Field::Sft). Returns its hash.
Result<std::string> keepForSft(const std::filesystem::path& project, const std::string& hash,
                               const std::string& text);
/// All programs in the set, by hash.
Result<std::vector<ChosenProgram>> readSftSet(const std::filesystem::path& project);

} // namespace sparserl
