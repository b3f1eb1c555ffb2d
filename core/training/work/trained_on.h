// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/stage.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

/// Digests of the matrices used to train a policy and its ancestors: the file trained_on.json beside its
/// weights. A split defines what a project holds out; this file records what the policy has seen in any
/// project. Empty for policies from earlier versions or from elsewhere.
Result<std::set<std::string>> readTrainedOn(const std::filesystem::path& policy);
Status writeTrainedOn(const std::filesystem::path& policy, const std::set<std::string>& digests);

/// Adapts splits to the parent's training matrices: an evaluation counts them as "train", and training
/// excludes them from held-out figures. Returns one sentence about all of them for the journal; empty if
/// there are none.
std::string holdToTrainedOn(StageKind kind, const std::set<std::string>& trainedOn,
                            std::vector<StageTarget>& matrices);

} // namespace sparserl
