// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/stage.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

/// Digests of the matrices that a policy was trained on, by itself and by those that it came from: the file
/// trained_on.json beside its weights. A split says what a project holds out; this says what the policy has
/// seen, wherever that was. Empty for policies of earlier versions and for those from elsewhere.
Result<std::set<std::string>> readTrainedOn(const std::filesystem::path& policy);
Status writeTrainedOn(const std::filesystem::path& policy, const std::set<std::string>& digests);

/// Holds splits to what the parent was trained on: an evaluation counts such a matrix as one of "train", and
/// training takes it out of what it measures held-out figures on. Gives one sentence about all of
/// them, for the journal; empty: there are none.
std::string holdToTrainedOn(StageKind kind, const std::set<std::string>& trainedOn,
                            std::vector<StageTarget>& matrices);

} // namespace sparserl
