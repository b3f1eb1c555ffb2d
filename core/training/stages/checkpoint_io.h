// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/data/sft_data.h"
#include "training/learning/learner.h"
#include "training/work/stage_context.h"

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace sparserl {

/// Writes one checkpoint of a stage: `fill` puts policy, critic and optimizer files into the folder;
/// state.json gets `state` with the values of all parameters; reward_times.json gets `times`. Old checkpoints
/// are pruned. Gives its name; empty where another process leads.
Result<std::string> writeCheckpoint(StageContext& context, std::int64_t step, nlohmann::json state,
                                    const RewardTimes& times,
                                    const std::function<Status(const std::filesystem::path&)>& fill);

/// state.json of a checkpoint; restores the parameters that were changed while the run lived.
Result<nlohmann::json> readCheckpointState(StageContext& context, const CheckpointInfo& checkpoint);

} // namespace sparserl
