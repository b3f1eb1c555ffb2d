// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/policy_facts.h"
#include "training/parameters/stage_parameters.h"

namespace sparserl {

/// The memory that a stage needs for its policy on the device where the policy learns, in bytes. An estimate
/// from shapes; it leaves out the program itself (with LibTorch, about half a GiB) and the judging of
/// programs.
struct StageMemory
{
    double weights = 0;     ///< Of all models; frozen ones once.
    double gradients = 0;   ///< Of the weights that learn.
    double optimizer = 0;   ///< Two numbers for each weight that learns.
    double undo = 0;        ///< Weights and moments to which an interrupted update goes back.
    double activations = 0; ///< Of one micro-batch of the longest programs.
    double cache = 0;       ///< Keys and values of the programs that are written at once.

    /// The largest sum that is needed at a time: programs are not written while weights are changed.
    double total() const;
};

/// Estimates the memory of a stage that goes on from a policy, with the stage's parameters.
StageMemory stageMemory(StageKind kind, const ParameterSet& parameters, const PolicyFacts& policy);

} // namespace sparserl
