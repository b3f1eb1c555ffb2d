// SPDX-License-Identifier: Apache-2.0
#include "training/stage_parameters.h"

#include "base/toml.h"

#include <algorithm>
#include <filesystem>

namespace sparserl {

namespace presets {
struct Embedded
{
    const char* name;
    const char* text;
};
extern const Embedded embedded[];
extern const std::size_t embeddedCount;
} // namespace presets

namespace {

Result<Preset> presetFromTable(toml::table table, const std::string& name, const std::string& file)
{
    Preset preset;
    preset.name = name;
    const auto take = [&](const char* key) {
        auto text = table[key].value_or(std::string());
        table.erase(key);
        return text;
    };
    preset.description = take("description");
    preset.source = take("source");
    const auto stageName = take("stage");
    if (stageName.empty())
        return failAt(file, 0, "The preset does not say its stage", "Add a line such as stage = \"rl\"");
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
    std::vector<Preset> presets;
    for (std::size_t i = 0; i < presets::embeddedCount; ++i) {
        const auto& item = presets::embedded[i];
        const std::string file = std::string("projects/presets/") + item.name + ".toml";
        SPARSERL_TRY(auto table, parseToml(item.text, file));
        SPARSERL_TRY(auto preset, presetFromTable(std::move(table), item.name, file));
        presets.push_back(std::move(preset));
    }
    return presets;
}

Result<Preset> findPreset(const std::string& nameOrFile)
{
    SPARSERL_TRY(auto presets, builtInPresets());
    std::string names;
    for (auto& preset : presets) {
        if (preset.name == nameOrFile)
            return std::move(preset);
        names += (names.empty() ? "" : ", ") + preset.name;
    }
    if (nameOrFile == "grpo-std") // and what was called grpo is dr-grpo
        return fail("There is no preset \"grpo-std\" any more",
                    "Use grpo, or rft-kernels for the paper's, which has no deviation");
    const std::filesystem::path path(nameOrFile);
    if (path.extension() != ".toml")
        return fail("There is no preset \"" + nameOrFile + "\"",
                    "Use one of " + names + ", or the path of a .toml file");
    SPARSERL_TRY(auto table, readToml(path));
    return presetFromTable(std::move(table), path.stem().string(), path.string());
}

} // namespace sparserl
