// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "machine/sandbox_level.h"

#include <filesystem>

namespace sparserl {

/// What the locks of all roles come to on this machine: sparserl-runner locks a process for each and tells.
/// The level of "cuda" is the one without a driver; one that does not work inside gets less.
Result<std::vector<RoleSandbox>> probeSandboxes(const std::filesystem::path& runner);

/// "compile, sim and nvdisasm full, cuda files (no Landlock)"
std::string sandboxWords(const std::vector<RoleSandbox>& sandboxes);

} // namespace sparserl
