// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "project/queries/queries.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sparserl {

/// The current parameters of a run.
struct SteeredParameters
{
    ParameterSet values;  ///< The parameters of run.toml with all changes that were applied.
    ParameterSet started; ///< The parameters of run.toml.
    /// By key: the last requested change that has not been answered yet.
    std::map<std::string, std::string> pending;
    std::vector<ControlMark> changes; ///< Answers to `set`, oldest first: "applied" and "refused".
};

/// Reads them from run.toml, the journal and the control file. Do not call it on the window's thread.
Result<SteeredParameters> readSteered(ProjectReader& reader, RunId run,
                                      const std::filesystem::path& runDirectory);

} // namespace sparserl
