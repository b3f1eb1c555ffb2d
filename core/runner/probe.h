// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/sandbox.h"

#include <nlohmann/json_fwd.hpp>

namespace sparserl {

/// Locks a process of its own for each role and says what came of it: {"roles":[{"role","level","lacks",
/// "active","missing"}...]}. The role cuda without a driver, as far as it goes.
nlohmann::json probeLocks(const SandboxMeans& means);

} // namespace sparserl
