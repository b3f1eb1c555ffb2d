// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/sandbox.h"

#include <nlohmann/json_fwd.hpp>

namespace sparserl {

/// Locks a separate process for each role and reports the result: {"roles":[{"role","level","lacks",
/// "active","missing"}...]}. The role cuda is locked without a driver, as strictly as possible.
nlohmann::json probeLocks(const SandboxMeans& means);

} // namespace sparserl
