// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/parameters/stage_parameters.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace sparserl {

/// The situation of a run that is about to start: the numbers of the project's matrices, and the stage that
/// trained its parent.
struct RunSurroundings
{
    std::size_t training = 0;
    std::size_t heldOut = 0;
    std::string parentStage; ///< "sft", "rl", ...; empty: no parent, or unknown.
};

/// A suggestion for a better run: parameter values, and the reason for them. Texts begin with a lower-case
/// letter and have no final full stop.
struct Suggestion
{
    std::string reason;
    std::map<std::string, std::string> values; ///< By parameter. Empty: only more matrices would help.
    std::string effect;                        ///< What these values do: "draws ...".
};

/// Returns suggestions for this situation; empty if the parameters suit them. A suggestion never keeps a run
/// from starting.
std::vector<Suggestion> suggestionsFor(StageKind kind, const ParameterSet& parameters,
                                       const RunSurroundings& found);
/// Returns the suggestion as a line for the terminal: the reason, the command, and its effect.
std::string commandText(const Suggestion& suggestion);

/// Returns a lower temperature at which more programs of the policy should be correct. Returns 0 if most
/// programs are correct, too few were judged, or the temperature is already low.
double lowerTemperature(std::size_t correct, std::size_t judged, double temperature);

} // namespace sparserl
