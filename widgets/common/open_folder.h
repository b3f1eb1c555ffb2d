// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <filesystem>

namespace sparserl {

/// Shows a folder in the desktop's file manager. If there is none, copies the path to the clipboard and
/// returns a sentence that says so. Returns an empty text on success.
QString openFolder(const std::filesystem::path& folder);
/// Whether the desktop has a file manager; also true if this cannot be determined.
bool hasFileManager();

} // namespace sparserl
