// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// A program that supervised fine-tuning uses in addition to corpus programs: a program in the project's SFT
/// set or, if `found` is set, a program that a search has found.
struct ChosenProgram
{
    std::string hash;
    std::string text;                 ///< Empty if the project has lost it.
    std::vector<std::string> targets; ///< TargetId::key() of the chosen targets.
    bool found = false;               ///< The program was found by a search and is not in the set.
};

/// Stores the text of a program in the project's folder sft_set, so that the program remains available if its
/// run is deleted. The targets for which it was chosen are annotations (Annotation::Field::Sft). Returns the
/// program's hash. Fails if `hash` is not the hash of `text`.
Result<std::string> keepForSft(const std::filesystem::path& project, const std::string& hash,
                               const std::string& text);
/// Reads all programs in the set, sorted by hash.
Result<std::vector<ChosenProgram>> readSftSet(const std::filesystem::path& project);

} // namespace sparserl
