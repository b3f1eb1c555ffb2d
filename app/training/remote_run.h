// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "project/files/project.h"
#include "project/run/run_config.h"

#include <filesystem>
#include <string>

namespace sparserl::cli {

/// Makes a run that works on another machine ("HOST[:FOLDER]") and shows its course until it ends. A signal
/// ends the showing, not the run.
int trainThere(Context& context, Project& project, RunConfig config, const std::string& host);
/// Resumes one that works on another machine, likewise.
int resumeThere(Context& context, const std::filesystem::path& run);

} // namespace sparserl::cli
