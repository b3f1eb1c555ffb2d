// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/sandbox.h"

#include <nlohmann/json_fwd.hpp>

namespace sparserl {

/// Starts and locks one process per role and returns the results: {"roles":[{"role","level","lacks",
/// "active","missing"}...]}. The process for cuda has the strictest lock and loads no driver.
nlohmann::json probeLocks(const SandboxMeans& means);

} // namespace sparserl
