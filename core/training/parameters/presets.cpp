// SPDX-License-Identifier: Apache-2.0
#include "training/parameters/stage_parameters.h"

#include "base/toml.h"
#include "training/parameters/embedded_files.h"

namespace sparserl {

namespace {

Result<Preset> presetFromText(const std::string& text, const std::string& name, const std::string& file)
{
    SPARSERL_TRY(auto table, parseToml(text, file));
    Preset preset;
    preset.name = name;
    const auto take = [&](const char* key) {
        auto value = table[key].value_or(std::string());
        table.erase(key);
        return value;
    };
    preset.description = take("description");
    preset.source = take("source");
    const auto stageName = take("stage");
    if (stageName.empty())
        return failAt(file, 0, "the preset does not say its stage", "Add a line such as stage = \"rl\"");
    auto stage = stageKindFromName(stageName);
    if (!stage)
        return failAt(file, 0, stage.error().what, stage.error().remedy);
    preset.stage = *stage;
    // A preset with a wrong key or value must be refused now, not when a run starts.
    preset.parameters = ParameterSet(stageParameters(preset.stage));
    SPARSERL_CHECK(preset.parameters.merge(table, file));
    return preset;
}

} // namespace

Result<std::vector<Preset>> builtInPresets()
{
    return embedded::readAll(embedded::presets(), "projects/presets", presetFromText);
}

std::vector<std::string> presetNames(std::optional<StageKind> stage)
{
    std::vector<std::string> names;
    if (const auto all = builtInPresets())
        for (const Preset& preset : *all)
            if (!stage || preset.stage == *stage)
                names.push_back(preset.name);
    return names;
}

Result<Preset> findPreset(const std::string& nameOrFile)
{
    if (nameOrFile == "grpo-std") // and what was called grpo is dr-grpo
        return fail("there is no preset \"grpo-std\" any more",
                    "Use grpo, or rft-kernels for the paper's, which has no deviation");
    SPARSERL_TRY(auto all, builtInPresets());
    return embedded::findOne(std::move(all), "preset", nameOrFile, presetFromText);
}

} // namespace sparserl
