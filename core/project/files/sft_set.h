// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// A program that the user put into the project's SFT set: supervised fine-tuning shows it beside what it
/// draws from the corpus.
struct ChosenProgram
{
    std::string hash;
    std::string text;                 ///< Empty where the project has lost it.
    std::vector<std::string> targets; ///< TargetId::key() of those that it was chosen for.
    bool found = false;               ///< By a search, and not put into the set.
};

/// Keeps the text of a program in the project's folder sft_set, so that it outlives the run it comes from.
/// What it is chosen for is an annotation (Annotation::Field::Sft). Its hash.
Result<std::string> keepForSft(const std::filesystem::path& project, const std::string& hash,
                               const std::string& text);
/// All that are in the set, by hash.
Result<std::vector<ChosenProgram>> readSftSet(const std::filesystem::path& project);

} // namespace sparserl
