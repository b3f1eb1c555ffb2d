// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

#include <string>
#include <vector>

namespace sparserl::cli {

/// A search that is kept as a run of a project.
struct SearchRun
{
    std::string run, project; ///< Folders; empty: the project's next number, the project around the run.
    std::string policy;       ///< A word that names one; empty: none.
    std::vector<std::string> matrices;    ///< Words of the command line; those that are new are imported.
    std::vector<std::string> assignments; ///< KEY=VALUE of the stage's parameters.
};

/// Tells that neither matrices nor a run were named. Gives the status.
int nothingToSearch(const Context& context);

/// Makes the run, or goes on with the one that is there, and becomes its worker. Gives the status where it
/// cannot.
int keepSearch(const Context& context, const SearchRun& search);

} // namespace sparserl::cli
