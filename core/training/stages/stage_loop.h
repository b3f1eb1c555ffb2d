// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/data/sft_data.h"
#include "training/work/stage_context.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace sparserl {

/// The interface between a kind of training or evaluation and the loop that all kinds have in common. Steps
/// count from 0. A checkpoint contains all the state that a resumed run needs.
class Stage
{
public:
    virtual ~Stage() = default;
    /// Returns the total number of steps, as far as it is known.
    virtual std::int64_t totalSteps() const = 0;
    /// Loads data and models from the checkpoint `from`, or makes new ones if `from` is nullptr. `state` is
    /// the result of state() in the checkpoint. Called once, before the first step.
    virtual Status prepare(const CheckpointInfo* from, const nlohmann::json& state) = 0;
    /// Advances from `step` and returns the new step. A failure ends the run, except an interruption(), which
    /// means that the step was abandoned without changes. The same is true of prepare() and evaluate().
    virtual Result<std::int64_t> advance(std::int64_t step) = 0;
    /// Called when eval.every is due, before the checkpoint of the step. Must write its events only at its
    /// end, so that an interrupted evaluation leaves nothing behind.
    virtual Status evaluate(std::int64_t) { return {}; }
    /// Returns whether the stage has reached its goal before its last step. Called between steps.
    virtual bool isComplete() const { return false; }
    /// Called once after the final checkpoint of a stage that has reached its end, but not of one that was
    /// stopped: it removes what only a resume would have needed.
    virtual void finish() {}
    /// Returns small values by name for state.json of a checkpoint. The loop adds `step`, `evaluated` and
    /// `parameters`.
    virtual nlohmann::json state() const = 0;
    /// Writes weights and optimizers to the folder of a checkpoint.
    virtual Status save(const std::filesystem::path& folder) const = 0;
    virtual const RewardTimes& rewardTimes() const = 0;
    /// False while an alarm may still end the run. Regular checkpoints are then not written.
    virtual bool isSound() const { return true; }
};

/// Returns whether a periodic action is due. Always true at the start and the end; with `every` = 0, only
/// then.
bool isDue(std::int64_t step, std::int64_t total, std::int64_t every);

/// Runs a stage from the session's checkpoint, or from the start, until it ends or is asked to stop.
/// Evaluates and writes checkpoints as the parameters say (a stage without checkpoint.every: after each
/// step), and writes a final checkpoint.
Status runStageLoop(StageContext& context, Stage& stage, StageOutcome& outcome);

} // namespace sparserl
