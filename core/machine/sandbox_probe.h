// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "machine/sandbox_level.h"

#include <filesystem>

namespace sparserl {

/// Returns the level that the lock of each role reaches on this machine. sparserl-runner locks one process
/// for each role and reports the result. The level of "cuda" is determined without a driver; if the driver
/// does not work under this lock, the actual level is lower.
Result<std::vector<RoleSandbox>> probeSandboxes(const std::filesystem::path& runner);

/// Returns a phrase such as "compile, sim and nvdisasm full, cuda files (no Landlock)".
std::string sandboxWords(const std::vector<RoleSandbox>& sandboxes);

} // namespace sparserl
