// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// An entry below a folder that was skipped when matrix files were searched.
struct PassedOver
{
    std::filesystem::path path;
    std::string reason;
    bool failed = false; ///< True if it could not be examined; false if its kind cannot hold a matrix.
};

/// The files below a folder that have matrix names, in sorted order, and the entries that were skipped.
struct MatrixFilesBelow
{
    std::vector<std::filesystem::path> files;
    std::vector<PassedOver> passedOver;
};

/// Finds the matrix files below a folder. A link to a file counts as a file. Skips links to folders, folders
/// that cannot be listed, and pipes, sockets, devices and dangling links that have matrix names. Ignores
/// hidden files and folders. An Error means that `folder` itself cannot be listed.
Result<MatrixFilesBelow> matrixFilesBelow(const std::filesystem::path& folder, const CancelToken& cancel);

/// Returns one sentence without a full stop, with paths relative to `folder`: "passed over: a.mtx and 2 more
/// (this is a named pipe, not a file), b (a link to a folder)". Returns an empty text if nothing was skipped.
std::string passedOverText(const std::vector<PassedOver>& passedOver, const std::filesystem::path& folder);

} // namespace sparserl
