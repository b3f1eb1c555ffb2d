// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "base/files.h"
#include "project/files/project.h"
#include "project/queries/queries.h"

#include <optional>

namespace sparserl::cli {

/// What of the journals the index reads before it is asked.
enum class IndexDepth
{
    Lists,   ///< Runs, metrics and checkpoints.
    Programs ///< Also programs and their verdicts.
};

/// A project's index, to be read.
struct OpenIndex
{
    std::optional<TempDir> own; ///< Where it lies, if not in the project.
    Status fresh;               ///< Why it is not up to date.
    std::optional<ProjectReader> reader;
};

/// As the window does it: a project that is not trusted, or that holds no index and takes none, gets one in a
/// folder of its own for as long as it is looked at.
Result<OpenIndex> openIndex(const Context& context, const Project& project, IndexDepth depth);

} // namespace sparserl::cli
