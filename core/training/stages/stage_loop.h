// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/data/sft_data.h"
#include "training/work/stage_context.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace sparserl {

/// One kind of training or evaluation, as seen from the common loop. Steps count from 0. Checkpoints contain
/// the state that a resumed run needs.
class Stage
{
public:
    virtual ~Stage() = default;
    /// The total number of steps, as far as known.
    virtual std::int64_t totalSteps() const = 0;
    /// Loads data and models: from the checkpoint, with the saved result of state(), or new ones if `from` is
    /// null. Called once, first.
    virtual Status prepare(const CheckpointInfo* from, const nlohmann::json& state) = 0;
    /// Advances from `step` and returns the new step. A failure ends the run, except for an interruption(),
    /// which means that the step was abandoned without changes. The same holds for prepare() and evaluate().
    virtual Result<std::int64_t> advance(std::int64_t step) = 0;
    /// Called when eval.every is due, before the checkpoint of the step. Writes its events at its end, so an
    /// interrupted evaluation leaves no trace.
    virtual Status evaluate(std::int64_t) { return {}; }
    /// Whether the stage has reached its goal before its last step. Called between steps.
    virtual bool isComplete() const { return false; }
    /// Small values by name for state.json of a checkpoint. The loop adds `step`, `evaluated` and
    /// `parameters`.
    virtual nlohmann::json state() const = 0;
    /// Writes weights and optimizers to a checkpoint's folder.
    virtual Status save(const std::filesystem::path& folder) const = 0;
    virtual const RewardTimes& rewardTimes() const = 0;
    /// False while an alarm may still end the run: regular checkpoints then must not displace earlier ones.
    virtual bool isSound() const { return true; }
};

/// Whether a periodic action is due. Always true at the start and at the end; `every` = 0 means only then.
bool isDue(std::int64_t step, std::int64_t total, std::int64_t every);

/// Runs a stage from the session's checkpoint, or from the start, to its end or until a stop request.
/// Evaluates and checkpoints according to the parameters (a stage without checkpoint.every: after each step)
/// and writes a final checkpoint.
Status runStageLoop(StageContext& context, Stage& stage, StageOutcome& outcome);

} // namespace sparserl
