// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/project.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Unlisted files are files in matrices/ that project.toml does not list. An import that was killed has left
// them, or their entries were removed.
namespace sparserl {

/// Returns the unlisted files, sorted by name. Ignores temporary files, hidden files and texts (.md, .txt).
std::vector<std::filesystem::path> unlistedFiles(const std::filesystem::path& project,
                                                 const std::vector<MatrixEntry>& matrices);

/// The place of a file in matrices/.
struct MatrixPlace
{
    std::filesystem::path path;
    bool present = false; ///< An identical file already exists at this place.
};
/// Returns the place in matrices/ for a file with this name and these contents: the place of an identical
/// unlisted file, or the first of "NAME", "2-NAME", "3-NAME", ... that is free.
MatrixPlace placeFor(const std::filesystem::path& project, const std::vector<MatrixEntry>& matrices,
                     const std::string& name, std::string_view bytes);

} // namespace sparserl
