// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/parameters/stage_parameters.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// The situation of a run that is about to start: the numbers of the project's matrices, and the stage that
/// trained its parent, with its success.
struct RunSurroundings
{
    std::size_t training = 0;
    std::size_t heldOut = 0;
    std::string parentStage; ///< "sft", "rl", ...; empty: no parent, or unknown.
    /// The share of correct programs that the parent's run reported last; nullopt: unknown.
    std::optional<double> parentCorrect = {};
};

/// A suggestion for a better run: parameter values, and the reason for them. Texts begin with a lower-case
/// letter and have no final full stop.
struct Suggestion
{
    std::string reason;
    /// What would help.
    enum class Remedy
    {
        Values,
        Matrices,  ///< More of them.
        FineTuning ///< Longer fine-tuning of the parent.
    };
    std::map<std::string, std::string> values; ///< By parameter.
    std::string effect;                        ///< What these values do: "draws ...".
    Remedy remedy = Remedy::Values;
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
