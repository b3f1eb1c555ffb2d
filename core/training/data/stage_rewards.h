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

/// The program that a matrix's samples are compared with (reward preset ppocoder), by TargetId::key().
using ReferencePrograms = std::map<std::string, std::string>;

/// The data that convert a program's verdict to a stage's reward.
struct StageRewards
{
    RewardModel model;
    RewardTimes times;
    ReferencePrograms references;
    bool referencesComplete = false; ///< Each target has one, or no corpus program is correct for it.
};

enum class RewardSource
{
    Policy,    ///< A policy: targets without times get those of a few corpus programs, judged now.
    Checkpoint ///< A checkpoint of the same run: its data are complete.
};

/// Reads the times in a folder (`reward_times.json`) and, if the preset compares with programs, the reference
/// programs (`reference_programs.json`). A target without a reference gets the fastest correct one of
/// reward.stats_samples suitable corpus programs, judged now, or none if none is correct.
Status loadRewards(StageContext& context, const std::filesystem::path& folder, RewardSource source,
                   StageRewards& rewards);
/// The same for a reward model that began to compare later. Does nothing if it does not compare, or if all
/// references are known.
Status completeReferences(StageContext& context, StageRewards& rewards);
/// Writes the reference programs to a checkpoint's folder, if there are any. Every checkpoint also contains
/// the times.
Status saveReferences(const StageRewards& rewards, const std::filesystem::path& folder);

} // namespace sparserl
