// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "machine/sandbox_level.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Returns the environment of a locked process: `own` and, from the user's environment, only the variables
/// for finding libraries, those of the sanitizers, and the variables `passed`.
std::vector<std::string> lockedEnvironment(std::vector<std::string> own,
                                           const std::vector<const char*>& passed = {});

/// Returns the lock of a role as the process reported it in its first message.
RoleSandbox sandboxOf(std::string_view role, const nlohmann::json& ready);

/// Fails with a sentence if a process is locked at a lower level than `required`.
Status requireSandbox(const RoleSandbox& sandbox, SandboxLevel required);

} // namespace sparserl
