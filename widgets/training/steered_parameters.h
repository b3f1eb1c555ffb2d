// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "project/queries/queries.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sparserl {

/// What a run's parameters are by now.
struct SteeredParameters
{
    ParameterSet values;  ///< Those of run.toml with all changes that were applied.
    ParameterSet started; ///< Those of run.toml.
    /// By key: the last change that was asked for and not answered yet.
    std::map<std::string, std::string> pending;
    std::vector<ControlMark> changes; ///< Answers to `set`, oldest first: "applied" and "refused".
};

/// From run.toml, journal and control file. Reads files: not for the window's thread.
Result<SteeredParameters> readSteered(ProjectReader& reader, RunId run,
                                      const std::filesystem::path& runDirectory);

} // namespace sparserl
