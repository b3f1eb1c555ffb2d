// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/steered_parameters.h"

#include "project/control.h"
#include "training/stage_parameters.h"

#include <set>

namespace sparserl {

Result<SteeredParameters> readSteered(ProjectReader& reader, RunId run,
                                      const std::filesystem::path& runDirectory)
{
    auto config = reader.runConfig(run);
    if (!config)
        return fail(config.error());
    const auto kind = stageKindFromName(config->stage);
    if (!kind)
        return fail(kind.error());
    auto values = parametersFromRun(*kind, config->parameters);
    if (!values)
        return fail(values.error());
    const auto marks = reader.controlMarks(run);
    if (!marks)
        return fail(marks.error());
    const auto commands = readControl(runDirectory);
    if (!commands)
        return fail(commands.error());

    SteeredParameters steered{std::move(*values), {}};
    std::set<std::string> answered;
    for (const ControlMark& mark : *marks) {
        const ControlEvent& event = mark.event;
        if (event.outcome == "applied" || event.outcome == "refused")
            answered.insert(event.id);
        if (event.command != "set" || event.outcome != "applied")
            continue;
        // A parameter that this version does not know cannot be offered either.
        if (steered.values.has(event.key))
            if (auto set = steered.values.setText(event.key, event.value); !set)
                return fail(set.error());
    }
    for (const ControlCommand& command : *commands)
        if (command.kind == ControlCommand::Kind::Set && !answered.contains(command.id))
            steered.pending[command.key] = command.value;
    return steered;
}

} // namespace sparserl
