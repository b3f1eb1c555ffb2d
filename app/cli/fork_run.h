// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

#include <string>
#include <vector>

namespace sparserl::cli {

struct ForkOptions
{
    std::string checkpoint, title;        ///< Empty: the newest; none.
    std::vector<std::string> assignments; ///< KEY=VALUE
};

/// Starts another run of the same stage from a checkpoint of `run`, with the parameters that it has by now,
/// and a worker of its own. Prints which; gives the status of the command.
int forkRun(const Context& context, const std::string& run, const ForkOptions& options);

} // namespace sparserl::cli
