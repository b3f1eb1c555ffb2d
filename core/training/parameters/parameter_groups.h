// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"

#include <cstdint>
#include <string>

namespace sparserl {

// Groups of declarations that stage_parameters.cpp puts into the stages' lists.

/// What every stage has: seed, judge.*, system.*; where and how its policy computes; and, where it trains
/// one, how much memory that takes.
ParameterDeclarations commonParameters(bool trains = true);
/// What programs compute, for the stages that judge some.
void addTask(ParameterDeclarations& all);
/// checkpoint.* and eval.*; `samples`: an evaluation samples programs.
ParameterDeclarations checkpointParameters(std::int64_t every, std::int64_t evalEvery, bool samples = true);
/// sft.*: what is shown, and how it is learned.
void addSftData(ParameterDeclarations& all);
void addSftOptimisation(ParameterDeclarations& all);
/// rl.* and reward.*: sampling, advantages and losses, the actor's updates, the critic's.
void addRollout(ParameterDeclarations& all);
void addAlgorithm(ParameterDeclarations& all);
void addUpdate(ParameterDeclarations& all);
void addCritic(ParameterDeclarations& all);
/// reward.preset to reward.alpha: how a verdict becomes a reward. `fewest`: of reward.stats_samples; `live`:
/// the stage looks at weights and formula before each iteration.
void addRewards(ParameterDeclarations& all, const std::string& group, std::int64_t fewest, bool live);
/// evaluate.*
void addEvaluation(ParameterDeclarations& all);
/// policy.views, for each stage that trains on matrices.
void addViews(ParameterDeclarations& all, const std::string& group);
/// search.*
void addSearch(ParameterDeclarations& all);
/// policy.* and tokenizer.*: what a new policy is like.
void addPolicy(ParameterDeclarations& all, bool readsMatrices);
/// pretrain.*: texts and optimisation.
void addPretraining(ParameterDeclarations& all);
/// rl.temperature_end to rl.behaviour_cap: how training samples.
void addRlDecoding(ParameterDeclarations& all);
/// evaluate.top_k to evaluate.beam.
void addEvaluateDecoding(ParameterDeclarations& all);
/// Dynamic sampling, token classes and what else recipes differ in.
void addRecipeKnobs(ParameterDeclarations& all);
/// rft.*: what is sampled, kept and learned.
void addRejectionFineTuning(ParameterDeclarations& all);
/// alarm.*: those of sft, or with `reinforcement` all of them.
void addAlarms(ParameterDeclarations& all, bool reinforcement);

} // namespace sparserl
