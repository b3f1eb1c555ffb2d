// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/sandbox_level.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The environment of a locked process: `own`, and of the user's environment only what finding libraries
/// takes and the variables `passed`.
std::vector<std::string> lockedEnvironment(std::vector<std::string> own,
                                           const std::vector<const char*>& passed = {});

/// The lock of a role, as the process says it in its first message.
RoleSandbox sandboxOf(std::string_view role, const nlohmann::json& ready);

} // namespace sparserl
