// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/sandbox.h"

#include <filesystem>
#include <vector>

namespace sparserl {

/// Moves this process to new namespaces, in which it has no network and may create its own root. Uses a user
/// namespace if the user has no special rights. The process must have only one thread. Returns false and adds
/// to the report if this machine does not allow such namespaces.
bool leaveForOwnRoot(SandboxReport& report, const SandboxMeans& means);

/// Enters a new read-only root that contains only `visible`: files, folders with everything below them, and
/// links as they are. Omits missing paths. `scratch` lists folders that become empty and writable and that no
/// other process sees. Call after leaveForOwnRoot(). If this fails, the process keeps the old root, and the
/// report says so.
void enterOwnRoot(const std::vector<std::filesystem::path>& visible,
                  const std::vector<std::filesystem::path>& scratch, SandboxReport& report);

/// If this process runs as root, it changes to a user id that no other process has, or to nobody. Otherwise
/// it drops the rights that the namespace gave.
void becomeNobody(SandboxReport& report);

} // namespace sparserl
