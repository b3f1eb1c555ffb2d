// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

#include <string>
#include <vector>

namespace sparserl::cli {

struct ForkOptions
{
    std::string checkpoint, title;        ///< An empty checkpoint means the newest; the title may be empty.
    std::vector<std::string> assignments; ///< KEY=VALUE
};

/// Starts another run of the same stage from a checkpoint of `run`, with its current parameters and a
/// separate worker. Prints its name; returns the command's status.
int forkRun(const Context& context, const std::string& run, const ForkOptions& options);

} // namespace sparserl::cli
