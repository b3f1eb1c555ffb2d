// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace sparserl {

// What a user names for results must be free: nothing that was made before is replaced, and results of two
// calls do not mix. Looked at before the work that the results come from. An empty path: none is wanted.

/// Fails where a file with contents or a folder is. A device or a pipe is written as it is.
Status checkNewFile(const std::filesystem::path& file);
/// Fails where a file is, or a folder that is not empty.
Status checkNewFolder(const std::filesystem::path& folder);
/// The same of several.
Status checkNewFiles(std::initializer_list<std::filesystem::path> files);
Status checkNewFolders(std::initializer_list<std::filesystem::path> folders);
/// Fails where anything is, also a link that leads nowhere: for what is put in place whole, by a rename.
/// `kind`: "file" or "folder".
Status checkFree(const std::filesystem::path& place, std::string_view kind);

} // namespace sparserl
