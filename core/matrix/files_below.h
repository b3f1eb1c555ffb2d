// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// An entry below a folder that is not imported with the others.
struct PassedOver
{
    std::filesystem::path path;
    std::string reason;
    bool failed = false; ///< It could not be examined; otherwise, its kind cannot hold a matrix.
};

/// The files below a folder with matrix names, sorted, and the skipped entries.
struct MatrixFilesBelow
{
    std::vector<std::filesystem::path> files;
    std::vector<PassedOver> passedOver;
};

/// Finds the matrix files below a folder. Links to files count as files. Skips links to folders, folders that
/// cannot be listed, and pipes, sockets, devices and dangling links with matrix names. Ignores hidden files
/// and folders. An Error means that `folder` itself cannot be listed.
Result<MatrixFilesBelow> matrixFilesBelow(const std::filesystem::path& folder, const CancelToken& cancel);

/// One sentence without a full stop, with paths relative to `folder`: "passed over: a.mtx and 2 more (this is
/// a named pipe, not a file), b (a link to a folder)". Empty if nothing was skipped.
std::string passedOverText(const std::vector<PassedOver>& passedOver, const std::filesystem::path& folder);

} // namespace sparserl
