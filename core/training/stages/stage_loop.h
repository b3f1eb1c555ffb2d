// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/data/sft_data.h"
#include "training/work/stage_context.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace sparserl {

/// One kind of training or evaluation as the loop that all of them share sees it. Steps count from 0; state
/// that a resumed run needs travels in checkpoints.
class Stage
{
public:
    virtual ~Stage() = default;
    /// Number of the last step, as far as it is known by now.
    virtual std::int64_t totalSteps() const = 0;
    /// Loads data and models: those of the checkpoint, with what state() said when it was written; fresh ones
    /// where `from` is null. Called once, first.
    virtual Status prepare(const CheckpointInfo* from, const nlohmann::json& state) = 0;
    /// Goes on from `step` and returns the step where it stands now. A failure ends the run, unless it is
    /// an interruption(): the step was given up before it changed anything. So with prepare() and evaluate().
    virtual Result<std::int64_t> advance(std::int64_t step) = 0;
    /// Where eval.every is due, before the checkpoint of the step. Writes its events at its end, so that one
    /// that is interrupted leaves no trace.
    virtual Status evaluate(std::int64_t) { return {}; }
    /// Whether the stage has reached its aim before its last step; asked between steps.
    virtual bool isComplete() const { return false; }
    /// For state.json of a checkpoint: small values by name. `step`, `evaluated` and `parameters` are the
    /// loop's.
    virtual nlohmann::json state() const = 0;
    /// Weights and optimizers into a checkpoint's folder.
    virtual Status save(const std::filesystem::path& folder) const = 0;
    virtual const RewardTimes& rewardTimes() const = 0;
    /// False while an alarm may yet end the run: what every checkpoint.every steps would be saved then must
    /// not push out what was saved before.
    virtual bool isSound() const { return true; }
};

/// Whether something that comes every so many steps is due. 0: at the start and at the end only, as always
/// then.
bool isDue(std::int64_t step, std::int64_t total, std::int64_t every);

/// Runs a stage from the session's checkpoint, or from the start, to its end or until it is told to stop;
/// evaluates and checkpoints as the parameters say (a stage without checkpoint.every: after each step) and
/// leaves a last checkpoint behind.
Status runStageLoop(StageContext& context, Stage& stage, StageOutcome& outcome);

} // namespace sparserl
