// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// The advice in the error if there is no default policy.
inline constexpr const char* noDefaultPolicy =
    "Name a policy, or let SPARSERL_DEFAULT_POLICY name the folder of one";

/// Finds the policy directory for `path`: `path` itself, the one in a checkpoint or in the newest checkpoint
/// of a run directory, or the default policy for the word "default" (default_policy.h). Fails if none is
/// found.
Result<std::filesystem::path> findPolicy(const std::filesystem::path& path);

} // namespace sparserl
