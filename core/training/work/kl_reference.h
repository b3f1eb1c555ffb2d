// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// The folder of the policy from which a run of `rl` measures its KL. `choice` is rl.kl_reference: `parent`
/// is the policy that the run began with (`parent`, a policy folder), `sft` the first of its ancestors that
/// no run of `rl` made, anything else a checkpoint or policy folder, in `project` where it is relative. Fails
/// where it is not there. The same again when the run is resumed, which is why a run, whose newest checkpoint
/// changes, is none.
Result<std::filesystem::path> klReference(const std::string& choice, const std::filesystem::path& parent,
                                          const std::filesystem::path& project);

} // namespace sparserl
