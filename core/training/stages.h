// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy.h"
#include "training/rollout.h"
#include "training/stage_context.h"

namespace sparserl {

/// The stages behind runStage: each goes on from the session's checkpoint and leaves a last one behind.
Status runSft(StageContext& context, StageOutcome& outcome);
Status runRl(StageContext& context, StageOutcome& outcome);
Status runEvaluate(StageContext& context, StageOutcome& outcome);

/// Makes sure that every matrix has reward statistics: judges a few corpus programs for those that the SFT
/// stage has not seen.
Status completeRewardTimes(StageContext& context, RewardTimes& times);

/// The event that sums up a rollout of one matrix.
EvaluationEvent evaluationOf(const Rollout& rollout, const StageMatrix& matrix,
                             const std::string& policyName);

} // namespace sparserl
