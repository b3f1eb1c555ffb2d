// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "machine/sandbox_level.h"

#include <filesystem>

namespace sparserl {

/// The levels that the locks of all roles reach on this machine. sparserl-runner locks one process for each
/// role and reports the result. The level of "cuda" is determined without a driver. If the driver does not
/// work under that lock, the actual level is lower.
Result<std::vector<RoleSandbox>> probeSandboxes(const std::filesystem::path& runner);

/// "compile, sim and nvdisasm full, cuda files (no Landlock)"
std::string sandboxWords(const std::vector<RoleSandbox>& sandboxes);

} // namespace sparserl
