// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

/// What was asked of a run, complete: file run.toml. Everything that decides the result is here.
struct RunConfig
{
    std::string title;  ///< For people; may be empty.
    std::string stage;  ///< "pretrain", "sft", "rft", "value-pretrain", "rl", "evaluate", "search"
    std::string preset; ///< Name of the preset it began from, or empty.
    /// Checkpoint that the stage starts from: a folder, absolute or relative to the project; empty: from
    /// scratch.
    std::string parentCheckpoint;
    std::string parentRun; ///< Name of the run it belongs to, or empty.
    /// Of a fork: the run of the same project whose checkpoint it has as its own first one, and goes on from,
    /// and that checkpoint's name. Its parent, such as the reference of its KL, is that run's.
    std::string forkOf, forkCheckpoint;
    std::string project; ///< Project directory, absolute; empty for a run outside any project.
    double created = 0;  ///< Unix seconds; filled in by RunDirectory::create if 0.
    std::map<std::string, ParameterValue>
        parameters; ///< Every parameter of the stage by key, not only the changed ones.
    std::map<std::string, std::string>
        versions; ///< "sparserl", "torch", "nvrtc", ...: what it was made with.
};

/// All values of a set, as `RunConfig::parameters` wants them.
std::map<std::string, ParameterValue> valuesOf(const ParameterSet& set);

Status writeRunConfig(const std::filesystem::path& file, const RunConfig& config);
/// Fails with file and line on broken TOML, and with the key's name where something needed is missing.
Result<RunConfig> readRunConfig(const std::filesystem::path& file);

} // namespace sparserl
