// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/steered_parameters.h"

#include "project/run/control.h"
#include "training/parameters/stage_parameters.h"
#include "verdict/names.h"

#include <set>

namespace sparserl {

Result<SteeredParameters> readSteered(ProjectReader& reader, RunId run,
                                      const std::filesystem::path& runDirectory)
{
    SPARSERL_TRY(auto config, reader.runConfig(run));
    SPARSERL_TRY(const auto kind, stageKindFromName(config.stage));
    SPARSERL_TRY(const auto values, parametersFromRun(kind, config.parameters));
    SPARSERL_TRY(const auto marks, reader.controlMarks(run));
    SPARSERL_TRY(const auto commands, readControl(runDirectory));

    SteeredParameters steered{values, values, {}, {}};
    std::set<std::string> answered;
    for (const ControlMark& mark : marks) {
        const ControlEvent& event = mark.event;
        if (control_outcome::final(event.outcome))
            answered.insert(event.id);
        if (event.command == "set" && control_outcome::final(event.outcome))
            steered.changes.push_back(mark);
        if (event.command != "set" || event.outcome != control_outcome::applied)
            continue;
        // A parameter that this version does not know cannot be offered either.
        if (steered.values.has(event.key))
            SPARSERL_CHECK(steered.values.setText(event.key, event.value));
    }
    for (const ControlCommand& command : commands)
        if (command.kind == ControlCommand::Kind::Set && !answered.contains(command.id))
            steered.pending[command.key] = command.value;
    return steered;
}

} // namespace sparserl
