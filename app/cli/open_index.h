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
    std::optional<TempDir> own; ///< Its folder, if not the project.
    Status fresh;               ///< Why it is not up to date.
    std::optional<ProjectReader> reader;
};

/// Like the window: an untrusted project, or one without a writable index, gets an index in a temporary
/// folder.
Result<OpenIndex> openIndex(const Context& context, const Project& project, IndexDepth depth);

} // namespace sparserl::cli
