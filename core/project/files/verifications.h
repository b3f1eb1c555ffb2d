// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "verdict/record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// A repeated judgement of a program, requested outside any run.
struct Verification
{
    std::string id;     ///< Created in addVerification.
    double t = 0;       ///< Unix seconds; now if 0.
    std::string before; ///< The previous verdict by name; empty: none.
    VerdictRecord record;
};

/// Appends to verifications.jsonl of the project and returns the id. It does not use a run's journal, which
/// belongs to the worker and may be complete. Safe for several processes.
Result<std::string> addVerification(const std::filesystem::path& project, Verification verification);
/// All verifications, oldest first, without incomplete lines.
Result<std::vector<Verification>> readVerifications(const std::filesystem::path& project);

} // namespace sparserl
