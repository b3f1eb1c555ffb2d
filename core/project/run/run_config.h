// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

/// The complete configuration of a run: file run.toml. Contains everything that determines the result.
struct RunConfig
{
    std::string title;  ///< For display; may be empty.
    std::string stage;  ///< "pretrain", "sft", "rft", "value-pretrain", "rl", "evaluate", "search"
    std::string preset; ///< Name of its preset, or empty.
    /// Initial checkpoint of the stage: a folder, absolute or relative to the project; "default": the default
    /// policy of the installation (default_policy.h); empty: from scratch.
    std::string parentCheckpoint;
    /// For "default": digestOfPolicy() of the one that the run was made for. Set in RunDirectory::create.
    std::string parentDigest;
    std::string parentRun; ///< Name of the run it belongs to, or empty.
    /// For a fork: the run of the same project whose checkpoint it copied as its first one, and that
    /// checkpoint's name. Its parent, for example the reference of its KL, is that run's.
    std::string forkOf, forkCheckpoint;
    std::string project; ///< Project directory, absolute; empty for a run outside any project.
    double created = 0;  ///< Unix seconds; set in RunDirectory::create if 0.
    std::map<std::string, ParameterValue>
        parameters; ///< Every parameter of the stage by key, including defaults.
    std::map<std::string, std::string>
        versions; ///< "sparserl", "torch", "nvrtc", ...: what it was made with.
};

/// All values of a set for `RunConfig::parameters`.
std::map<std::string, ParameterValue> valuesOf(const ParameterSet& set);

Status writeRunConfig(const std::filesystem::path& file, const RunConfig& config);
/// Fails with file and line for invalid TOML, and with the key's name if a required entry is missing.
Result<RunConfig> readRunConfig(const std::filesystem::path& file);

} // namespace sparserl
