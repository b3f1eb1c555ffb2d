// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

/// The complete configuration of a run, from run.toml. It contains everything that determines the result.
struct RunConfig
{
    std::string title;  ///< For display; may be empty.
    std::string stage;  ///< "pretrain", "sft", "rft", "value-pretrain", "rl", "evaluate", "search"
    std::string preset; ///< Name of the preset, or empty.
    /// The checkpoint that the stage starts from: a folder, absolute or relative to the project, or "default"
    /// for the default policy of the installation (default_policy.h). Empty: the stage starts from scratch.
    std::string parentCheckpoint;
    /// For "default": digestOfPolicy() of the default policy at the time the run was created.
    /// RunDirectory::create() sets it.
    std::string parentDigest;
    std::string parentRun; ///< Name of the run that the checkpoint belongs to, or empty.
    /// For a fork: the run of the same project whose checkpoint became the first checkpoint of the fork, and
    /// the name of that checkpoint. The parent of a fork, for example the reference for its KL, is the parent
    /// of that run.
    std::string forkOf, forkCheckpoint;
    std::string project; ///< Absolute path of the project directory; empty for a run outside any project.
    double created = 0;  ///< Unix seconds; RunDirectory::create() sets it if it is 0.
    /// Values of all parameters of the stage, including defaults, by key.
    std::map<std::string, ParameterValue> parameters;
    /// Versions of the software that has created the run, by name: "sparserl", "torch", "nvrtc", ...
    std::map<std::string, std::string> versions;
};

/// True if this value leaves the parameter to chance: RunDirectory::create() then draws one and writes it to
/// run.toml, and the run differs from what was asked for in nothing.
bool isDrawnAtStart(const std::string& key, const ParameterValue& value);

/// Returns all values of a parameter set, for RunConfig::parameters.
std::map<std::string, ParameterValue> valuesOf(const ParameterSet& set);

Status writeRunConfig(const std::filesystem::path& file, const RunConfig& config);
/// Reads a run.toml. Fails with file and line for invalid TOML, and with the name of the key if a required
/// entry is missing.
Result<RunConfig> readRunConfig(const std::filesystem::path& file);

} // namespace sparserl
