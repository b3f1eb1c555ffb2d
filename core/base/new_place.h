// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace sparserl {

// A path for results must be free: existing files are not replaced, and results of two calls do not mix.
// Check the path before starting the work. A path at which this user cannot create anything fails, too. An
// empty path means that no result is wanted.

/// Fails if `file` is a folder or a non-empty file. Devices and pipes are allowed.
Status checkNewFile(const std::filesystem::path& file);
/// Fails if `folder` is a file or a non-empty folder.
Status checkNewFolder(const std::filesystem::path& folder);
/// The same for several files.
Status checkNewFiles(std::initializer_list<std::filesystem::path> files);
Status checkNewFolders(std::initializer_list<std::filesystem::path> folders);
/// Fails if anything exists at `place`, even a dangling link. Use it for results that are renamed to `place`.
/// `kind` is "file" or "folder".
Status checkFree(const std::filesystem::path& place, std::string_view kind);

} // namespace sparserl
