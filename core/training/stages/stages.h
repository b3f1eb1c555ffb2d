// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy/policy.h"
#include "training/sampling/rollout.h"
#include "training/stages/stage_loop.h"

#include <memory>

namespace sparserl {

/// Creates the stages that runStage() runs, ready for runStageLoop(). Fails if the parameters, the parent or
/// the matrices do not allow a start. `context` must outlive the stage.
Result<std::unique_ptr<Stage>> makePretrainStage(StageContext& context);
Result<std::unique_ptr<Stage>> makeSftStage(StageContext& context);
Result<std::unique_ptr<Stage>> makeRftStage(StageContext& context);
Result<std::unique_ptr<Stage>> makeRlStage(StageContext& context);
Result<std::unique_ptr<Stage>> makeEvaluateStage(StageContext& context);
Result<std::unique_ptr<Stage>> makeSearchStage(StageContext& context);

/// Returns the event that summarises a rollout for one matrix.
EvaluationEvent evaluationOf(const Rollout& rollout, const StageTarget& matrix, const RewardTimes& times,
                             const std::string& policyName);

} // namespace sparserl
