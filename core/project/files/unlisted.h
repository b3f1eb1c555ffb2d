// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/project.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Files in matrices/ that project.toml does not list: remains of a killed import, or files of removed
// entries.
namespace sparserl {

/// The unlisted files by name. Ignores temporary files, hidden files and texts (.md, .txt).
std::vector<std::filesystem::path> unlistedFiles(const std::filesystem::path& project,
                                                 const std::vector<MatrixEntry>& matrices);

/// The destination in matrices/ for a file with this name and contents: an existing identical unlisted file,
/// or the first free name of "NAME", "2-NAME", "3-NAME", ...
struct MatrixPlace
{
    std::filesystem::path path;
    bool present = false; ///< The file already exists.
};
MatrixPlace placeFor(const std::filesystem::path& project, const std::vector<MatrixEntry>& matrices,
                     const std::string& name, std::string_view bytes);

} // namespace sparserl
