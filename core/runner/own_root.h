// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/sandbox.h"

#include <filesystem>
#include <vector>

namespace sparserl {

/// Leaves for name spaces of its own in which a root may be made: without network, and in a user name space
/// where this user is nobody special. Needs a process with one thread. False where this machine has none,
/// which the report then says.
bool leaveForOwnRoot(SandboxReport& report, const SandboxMeans& means);

/// A new root, read-only, in which nothing is but `visible` (folders and files with everything below them,
/// links as they are); what does not exist is left out. `scratch` are empty folders that nobody else sees and
/// that can be written. After leaveForOwnRoot. Where that fails the old root stays, and the report says so.
void enterOwnRoot(const std::vector<std::filesystem::path>& visible,
                  const std::vector<std::filesystem::path>& scratch, SandboxReport& report);

/// Where it was root, becomes a user that nobody else is, or nobody. Elsewhere gives up what the name space
/// gave.
void becomeNobody(SandboxReport& report);

} // namespace sparserl
