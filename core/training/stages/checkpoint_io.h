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

/// Writes a checkpoint of a stage and removes old checkpoints. `fill` writes the files of policy, critic and
/// optimizer to the folder; state.json contains `state` and the values of changed parameters, and
/// reward_times.json contains `times`. Returns the checkpoint's name; empty if another process leads.
Result<std::string> writeCheckpoint(StageContext& context, std::int64_t step, nlohmann::json state,
                                    const RewardTimes& times,
                                    const std::function<Status(const std::filesystem::path&)>& fill);

/// Reads state.json of a checkpoint and restores the parameters that were changed during the run.
Result<nlohmann::json> readCheckpointState(StageContext& context, const CheckpointInfo& checkpoint);

} // namespace sparserl
