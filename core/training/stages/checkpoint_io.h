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

/// Writes one checkpoint of a stage. `fill` writes policy, critic and optimizer files to the folder;
/// state.json receives `state` and the values of all parameters; reward_times.json receives `times`. Prunes
/// old checkpoints. Returns its name; empty if another process leads.
Result<std::string> writeCheckpoint(StageContext& context, std::int64_t step, nlohmann::json state,
                                    const RewardTimes& times,
                                    const std::function<Status(const std::filesystem::path&)>& fill);

/// Reads state.json of a checkpoint and restores parameters that were changed during the run.
Result<nlohmann::json> readCheckpointState(StageContext& context, const CheckpointInfo& checkpoint);

} // namespace sparserl
