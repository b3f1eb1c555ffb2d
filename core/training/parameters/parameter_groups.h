// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"

#include <cstdint>
#include <string>

namespace sparserl {

// Groups of declarations that stage_parameters.cpp adds to the stages' lists.

/// Parameters of every stage: seed, judge.*, system.*; device and precision of its policy; and, if it trains
/// one, memory use.
ParameterDeclarations commonParameters(bool trains = true);
/// The computation of programs, for stages that judge.
void addTask(ParameterDeclarations& all);
/// checkpoint.* and eval.*. `samples`: evaluations sample programs.
ParameterDeclarations checkpointParameters(std::int64_t every, std::int64_t evalEvery, bool samples = true);
/// sft.*: training data, and optimisation.
void addSftData(ParameterDeclarations& all);
void addSftOptimisation(ParameterDeclarations& all);
/// rl.* and reward.*: sampling, advantages and losses, actor updates, critic updates.
void addRollout(ParameterDeclarations& all);
void addAlgorithm(ParameterDeclarations& all);
void addUpdate(ParameterDeclarations& all);
void addCritic(ParameterDeclarations& all);
/// reward.preset to reward.alpha: conversion of a verdict to a reward. `fewest`: minimum of
/// reward.stats_samples. `live`: the stage reads weights and formula before each iteration.
void addRewards(ParameterDeclarations& all, const std::string& group, std::int64_t fewest, bool live);
/// evaluate.*
void addEvaluation(ParameterDeclarations& all);
/// policy.views, for each stage that trains on matrices.
void addViews(ParameterDeclarations& all, const std::string& group);
/// search.*
void addSearch(ParameterDeclarations& all);
/// policy.* and tokenizer.*: the shape of a new policy.
void addPolicy(ParameterDeclarations& all, bool readsMatrices);
/// pretrain.*: texts and optimisation.
void addPretraining(ParameterDeclarations& all);
/// rl.temperature_end to rl.behaviour_cap: sampling for training.
void addRlDecoding(ParameterDeclarations& all);
/// evaluate.top_k to evaluate.beam.
void addEvaluateDecoding(ParameterDeclarations& all);
/// Dynamic sampling, token classes and other options in which recipes differ.
void addRecipeKnobs(ParameterDeclarations& all);
/// rft.*: sampling, filtering and training.
void addRejectionFineTuning(ParameterDeclarations& all);
/// alarm.*: those of sft, or all with `reinforcement`.
void addAlarms(ParameterDeclarations& all, bool reinforcement);

} // namespace sparserl
