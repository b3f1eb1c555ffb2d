// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Something below a folder that is not imported with the rest.
struct PassedOver
{
    std::filesystem::path path;
    std::string reason;
    bool failed = false; ///< It could not be looked at; else it is of a kind that holds no matrix.
};

/// The files below a folder that are called like matrices, sorted, and what was passed over.
struct MatrixFilesBelow
{
    std::vector<std::filesystem::path> files;
    std::vector<PassedOver> passedOver;
};

/// Links to files are files. Links to folders are passed over, and so are pipes, sockets, devices and links
/// without a target that are called like matrices, and folders that cannot be listed. Hidden files and
/// folders are not looked at. An Error means that the folder itself cannot be listed.
Result<MatrixFilesBelow> matrixFilesBelow(const std::filesystem::path& folder, const CancelToken& cancel);

/// One sentence without a full stop, with paths from `folder` on: "passed over: a.mtx and 2 more (this is a
/// named pipe, not a file), b (a link to a folder)". Empty if nothing was passed over.
std::string passedOverText(const std::vector<PassedOver>& passedOver, const std::filesystem::path& folder);

} // namespace sparserl
