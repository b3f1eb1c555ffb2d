// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"

#include <cstdint>
#include <string>

namespace sparserl {

// Groups of parameter declarations. stage_parameters.cpp adds these groups to the lists of the stages.

/// Returns the parameters of every stage: seed, judge.*, system.*, and the device and precision of its
/// policy; with `trains`, also those for memory use in training.
ParameterDeclarations commonParameters(bool trains = true);
/// Adds the parameters that say what programs compute, for stages that judge programs.
void addTask(ParameterDeclarations& all);
/// Returns checkpoint.* and eval.*. `samples` says whether evaluations sample programs.
ParameterDeclarations checkpointParameters(std::int64_t every, std::int64_t evalEvery, bool samples = true);
/// Adds sft.*. The first function adds the training data, the second one the optimisation.
void addSftData(ParameterDeclarations& all);
void addSftOptimisation(ParameterDeclarations& all);
/// Adds rl.* and reward.*, in this order: sampling, advantages and losses, actor updates, critic updates.
void addRollout(ParameterDeclarations& all);
void addAlgorithm(ParameterDeclarations& all);
void addUpdate(ParameterDeclarations& all);
void addCritic(ParameterDeclarations& all);
/// Adds the parameters from reward.preset to reward.alpha, which say how a verdict becomes a reward. `fewest`
/// is the minimum of reward.stats_samples. With `live`, the stage reads weights and formula before each
/// iteration.
void addRewards(ParameterDeclarations& all, const std::string& group, std::int64_t fewest, bool live);
/// Adds evaluate.*.
void addEvaluation(ParameterDeclarations& all);
/// Adds policy.views, for stages that train on matrices.
void addViews(ParameterDeclarations& all, const std::string& group);
/// Adds search.*.
void addSearch(ParameterDeclarations& all);
/// Adds policy.* and tokenizer.*, which give the shape of a new policy.
void addPolicy(ParameterDeclarations& all, bool readsMatrices);
/// Adds pretrain.*: texts, and optimisation.
void addPretraining(ParameterDeclarations& all);
/// Adds the parameters from rl.temperature_end to rl.behaviour_cap, for sampling in training.
void addRlDecoding(ParameterDeclarations& all);
/// Adds the parameters from evaluate.top_k to evaluate.beam.
void addEvaluateDecoding(ParameterDeclarations& all);
/// Adds dynamic sampling, token classes, and other options in which recipes differ.
void addRecipeKnobs(ParameterDeclarations& all);
/// Adds rft.*: sampling, filters and training.
void addRejectionFineTuning(ParameterDeclarations& all);
/// Adds alarm.*: the alarms for supervised learning or, with `reinforcement`, all alarms.
void addAlarms(ParameterDeclarations& all, bool reinforcement);

} // namespace sparserl
