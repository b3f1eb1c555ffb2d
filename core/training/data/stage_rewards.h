// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "reward/reward.h"
#include "training/data/sft_data.h"

#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

class StageContext;

/// For each target (TargetId::key()), the program that samples are compared with (reward preset ppocoder).
using ReferencePrograms = std::map<std::string, std::string>;

/// The data that a stage needs to convert the verdict on a program into a reward.
struct StageRewards
{
    RewardModel model;
    RewardTimes times;
    ReferencePrograms references;
    bool referencesComplete = false; ///< Each target has a reference, or no corpus program is correct for it.
};

enum class RewardSource
{
    Policy,    ///< A policy. For targets without times, a few corpus programs are judged now.
    Checkpoint ///< A checkpoint of the same run. Its data are complete.
};

/// Reads the times in a folder (`reward_times.json`) and, if the preset compares programs, the reference
/// programs (`reference_programs.json`). For a target without a reference, judges reward.stats_samples
/// suitable corpus programs and takes the fastest correct one; if none is correct, the target gets no
/// reference.
Status loadRewards(StageContext& context, const std::filesystem::path& folder, RewardSource source,
                   StageRewards& rewards);
/// Adds missing references in the same way, for a reward model that began to compare programs during the run.
/// Does nothing if the model does not compare programs, or if all references are known.
Status completeReferences(StageContext& context, StageRewards& rewards);
/// Writes the reference programs to a checkpoint's folder, if there are any. (Every checkpoint also stores
/// the times.)
Status saveReferences(const StageRewards& rewards, const std::filesystem::path& folder);

} // namespace sparserl
