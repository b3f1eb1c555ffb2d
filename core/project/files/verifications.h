// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "verdict/record.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// A new verdict on a program that was judged again outside any run.
struct Verification
{
    std::string id;     ///< Created by addVerification().
    double t = 0;       ///< Unix seconds; addVerification() replaces 0 with the current time.
    std::string before; ///< Name of the previous verdict; empty: there was none.
    VerdictRecord record;
};

/// Appends a verification to the project's verifications.jsonl and returns its id. The journal of the
/// program's run stays unchanged, because only the run's worker may write to it. Several processes may call
/// this at the same time.
Result<std::string> addVerification(const std::filesystem::path& project, Verification verification);
/// Reads all verifications, the oldest first. Skips incomplete lines.
Result<std::vector<Verification>> readVerifications(const std::filesystem::path& project);

} // namespace sparserl
