// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "project/queries.h"

#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

/// The parameters of a run as they are now: what it was started with, and every change since.
struct SteeredParameters
{
    ParameterSet values;                        ///< With all changes that have taken effect.
    std::map<std::string, std::string> pending; ///< Asked for and not answered yet: key and new value.
};

/// Reads run.toml, the applied changes of the journal and the commands that were sent.
Result<SteeredParameters> readSteered(ProjectReader& reader, RunId run,
                                      const std::filesystem::path& runDirectory);

} // namespace sparserl
