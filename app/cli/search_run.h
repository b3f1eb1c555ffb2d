// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

#include <string>
#include <vector>

namespace sparserl::cli {

/// A search stored as a run of a project.
struct SearchRun
{
    std::string run, project; ///< Folders; empty: the project's next run number, and the project around the
                              ///< run.
    std::string policy;       ///< A word that names the policy; empty: none.
    std::vector<std::string> matrices;    ///< Command-line words; new ones are imported.
    std::vector<std::string> assignments; ///< KEY=VALUE of the stage's parameters.
};

/// Reports that neither matrices nor a run were named. Returns the status.
int nothingToSearch(const Context& context);

/// Creates the run or resumes an existing one, and replaces this process by its worker. Returns the status on
/// failure.
int keepSearch(const Context& context, const SearchRun& search);

} // namespace sparserl::cli
