// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"

namespace sparserl {

// Groups of declarations that stage_parameters.cpp puts into the stages' lists.

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
