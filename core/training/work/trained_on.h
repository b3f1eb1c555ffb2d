// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/stage.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

/// Reads or writes the digests of the matrices on which a policy and its ancestors were trained: the file
/// trained_on.json beside the weights. A split says which matrices a project holds out; this file says what
/// the policy has seen in any project. Empty for a policy from an earlier version or from elsewhere.
Result<std::set<std::string>> readTrainedOn(const std::filesystem::path& policy);
Status writeTrainedOn(const std::filesystem::path& policy, const std::set<std::string>& digests);

/// Adapts the splits to the training matrices of the parent. An evaluation counts these matrices as "train";
/// training leaves them out of held-out figures. Returns a sentence for the journal about all such matrices;
/// empty if there are none.
std::string holdToTrainedOn(StageKind kind, const std::set<std::string>& trainedOn,
                            std::vector<StageTarget>& matrices);

} // namespace sparserl
