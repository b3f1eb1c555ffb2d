// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "project/files/project.h"
#include "project/run/run_config.h"

#include <filesystem>
#include <string>

namespace sparserl::cli {

/// Creates a run on another machine ("HOST[:FOLDER]") and shows its progress until it ends. A signal ends
/// only the display.
int trainThere(Context& context, Project& project, RunConfig config, const std::string& host);
/// The same for resuming a run on another machine.
int resumeThere(Context& context, const std::filesystem::path& run);

} // namespace sparserl::cli
