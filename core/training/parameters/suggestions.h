// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/parameters/stage_parameters.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace sparserl {

/// The surroundings of a run that is about to start: the numbers of the project's matrices, and the stage
/// that trained its parent.
struct RunSurroundings
{
    std::size_t training = 0;
    std::size_t heldOut = 0;
    std::string parentStage; ///< "sft", "rl", ...; empty: none or unknown.
};

/// A reason why other parameters may give a better run, and their values. Texts begin with a lower-case
/// letter and have no final full stop.
struct Suggestion
{
    std::string reason;
    std::map<std::string, std::string> values; ///< Values of parameters. Empty: only more matrices help.
    std::string effect;                        ///< The effect of these values: "draws ...".
};

/// Suggestions for these surroundings; empty if the parameters suit them. Suggestions never prevent a run
/// from starting.
std::vector<Suggestion> suggestionsFor(StageKind kind, const ParameterSet& parameters,
                                       const RunSurroundings& found);
/// The suggestion in the syntax of the command line.
std::string commandText(const Suggestion& suggestion);

/// A lower temperature at which more of a policy's programs should be correct. 0 if most are correct, too few
/// were judged, or the temperature is already low.
double lowerTemperature(std::size_t correct, std::size_t judged, double temperature);

} // namespace sparserl
