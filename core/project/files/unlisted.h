// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/project.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Files of matrices/ that project.toml does not list: an import that was killed left them there, or their
// matrix was taken off the list.
namespace sparserl {

/// Such files, by name. What is being written, hidden files, and texts (.md, .txt) are none.
std::vector<std::filesystem::path> unlistedFiles(const std::filesystem::path& project,
                                                 const std::vector<MatrixEntry>& matrices);

/// Where a file of this name and these contents goes in matrices/: one that is there, unlisted and the same,
/// or the first free name of "NAME", "2-NAME", "3-NAME", ...
struct MatrixPlace
{
    std::filesystem::path path;
    bool present = false; ///< It is there already.
};
MatrixPlace placeFor(const std::filesystem::path& project, const std::vector<MatrixEntry>& matrices,
                     const std::string& name, std::string_view bytes);

} // namespace sparserl
