// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "verdict/record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// A program that the user had judged once more, outside any run.
struct Verification
{
    std::string id;     ///< Made by addVerification.
    double t = 0;       ///< Unix seconds; now if 0.
    std::string before; ///< The verdict it had, by name; empty: none.
    VerdictRecord record;
};

/// Appends to verifications.jsonl of the project: a run's journal is its worker's alone and may be closed for
/// long. Gives the id. Safe for several processes.
Result<std::string> addVerification(const std::filesystem::path& project, Verification verification);
/// All of them, oldest first; torn lines left out.
Result<std::vector<Verification>> readVerifications(const std::filesystem::path& project);

} // namespace sparserl
