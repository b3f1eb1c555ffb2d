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

/// What a program's verdict is worth to a stage.
struct StageRewards
{
    RewardModel model;
    RewardTimes times;
    ReferencePrograms references;
    bool referencesComplete = false; ///< Each target has one, or no corpus program is correct for it.
};

enum class RewardSource
{
    Policy,    ///< Targets that it brings no times of get those of a few corpus programs, judged now.
    Checkpoint ///< Of the same run: what it brings is all there is.
};

/// Reads the times that a folder brings (`reward_times.json`) and, where the preset compares with programs,
/// which ones (`reference_programs.json`). A target without such a program gets the fastest correct one of
/// reward.stats_samples corpus programs that suit it, judged now; none where none is correct.
Status loadRewards(StageContext& context, const std::filesystem::path& folder, RewardSource source,
                   StageRewards& rewards);
/// The same for a model that has taken to comparing since. Does nothing where it does not, or all is known.
Status completeReferences(StageContext& context, StageRewards& rewards);
/// Writes the reference programs into a checkpoint's folder, where there are any; the times are written with
/// every checkpoint.
Status saveReferences(const StageRewards& rewards, const std::filesystem::path& folder);

} // namespace sparserl
