// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "base/files.h"
#include "project/files/project.h"
#include "project/queries/queries.h"

#include <optional>

namespace sparserl::cli {

/// The part of the journals that the index reads first.
enum class IndexDepth
{
    Lists,   ///< Runs, metrics and checkpoints.
    Programs ///< Also programs and their verdicts.
};

/// A project's index for reading.
struct OpenIndex
{
    std::optional<TempDir> own; ///< The folder of the index, unless it is in the project.
    Status fresh;               ///< An Error if the index is not up to date.
    std::optional<ProjectReader> reader;
};

/// Opens the index of a project and updates it. As in the window, the index is in a temporary folder if the
/// project is untrusted or has no writable index.
Result<OpenIndex> openIndex(const Context& context, const Project& project, IndexDepth depth);

} // namespace sparserl::cli
