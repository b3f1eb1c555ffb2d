// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "base/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// No LibTorch here: the window makes its launch form from these declarations.

namespace sparserl {

/// The stages that a worker can run (docs/design.md 7); run.toml names them.
enum class StageKind
{
    Sft,
    Rl,
    Evaluate
};
std::string_view nameOf(StageKind kind); ///< "sft", "rl", "evaluate"
Result<StageKind> stageKindFromName(std::string_view name);
std::vector<StageKind> stageKinds();

/// Every parameter of a stage, declared once: type, default, range, unit, help, source, effect.
const ParameterDeclarations& stageParameters(StageKind kind);

/// A named set of values: a paper's recipe, or the quickstart's.
struct Preset
{
    std::string name;
    std::string description; ///< One sentence.
    std::string source;      ///< Paper and section, or empty.
    StageKind stage = StageKind::Rl;
    ParameterSet parameters; ///< All of the stage's, with the preset's values.
};

/// The presets that come with the program (projects/presets/*.toml), by name.
Result<std::vector<Preset>> builtInPresets();
/// One of them, or a preset file by its path.
Result<Preset> findPreset(const std::string& nameOrFile);

/// run.toml holds values by key; the set holds the declarations too. Keys that the stage does not know are an
/// Error; missing ones keep the default.
std::map<std::string, ParameterValue> runValues(const ParameterSet& parameters);
Result<ParameterSet> parametersFromRun(StageKind kind, const std::map<std::string, ParameterValue>& values);

} // namespace sparserl
