// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// The folder of the reference policy for a run's KL in stage `rl`. `choice` is rl.kl_reference: `parent` is
/// the run's initial policy (`parent`, a policy folder), `sft` its nearest ancestor that no run of `rl`
/// created, anything else a checkpoint or policy folder, relative to `project`. Fails if it does not exist. A
/// resumed run must find the same folder, so a run directory is not allowed, because its newest checkpoint
/// changes.
Result<std::filesystem::path> klReference(const std::string& choice, const std::filesystem::path& parent,
                                          const std::filesystem::path& project);

} // namespace sparserl
