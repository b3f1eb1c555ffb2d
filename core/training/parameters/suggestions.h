// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/parameters/stage_parameters.h"

#include <cstddef>
#include <map>
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

/// Why a run may go better otherwise, and how. Texts begin small and end without a full stop.
struct Suggestion
{
    std::string reason;
    std::map<std::string, std::string> values; ///< Of parameters; empty: only more matrices help.
    std::string effect;                        ///< What setting these values does: "draws ...".
};

/// What these surroundings suggest; empty where the parameters fit. Never an error: a run may begin all the
/// same.
std::vector<Suggestion> suggestionsFor(StageKind kind, const ParameterSet& parameters,
                                       const RunSurroundings& found);
/// With the words of the command line.
std::string commandText(const Suggestion& suggestion);

/// Below which temperature more of a policy's programs would be right; 0 where most are right, too few were
/// judged, or the temperature is low already.
double lowerTemperature(std::size_t correct, std::size_t judged, double temperature);

} // namespace sparserl
