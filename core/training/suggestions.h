// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/stage_parameters.h"

#include <cstddef>
#include <string>
#include <vector>

namespace sparserl {

/// What a run that is about to begin finds: matrices of its project, and what its parent was trained by.
struct RunSurroundings
{
    std::size_t training = 0;
    std::size_t heldOut = 0;
    std::string parentStage; ///< "sft", "rl", ...; empty: there is none, or it is not known.
};

/// What these surroundings suggest to do otherwise, one sentence or two each, with the words of the command
/// line; empty where the parameters fit. Never an error: a run may begin all the same.
std::vector<std::string> suggestionsFor(StageKind kind, const ParameterSet& parameters,
                                        const RunSurroundings& found);

/// What to try where a policy's programs at a temperature are mostly wrong; empty where most are right, too
/// few were judged, or the temperature is low already.
std::string temperatureSuggestion(std::size_t correct, std::size_t judged, double temperature);

} // namespace sparserl
