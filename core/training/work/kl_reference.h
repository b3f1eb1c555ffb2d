// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// Returns the folder of the reference policy for the KL divergence in stage `rl`. `choice` is
/// rl.kl_reference: `parent` selects the run's initial policy (the policy folder `parent`); `sft` selects the
/// nearest ancestor of this policy that no run of `rl` created; anything else is a checkpoint or policy
/// folder, relative to `project`. Fails if the folder does not exist, or is a run directory: a resumed run
/// must find the same folder, but a run's newest checkpoint changes.
Result<std::filesystem::path> klReference(const std::string& choice, const std::filesystem::path& parent,
                                          const std::filesystem::path& project);

} // namespace sparserl
