// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <filesystem>

namespace sparserl {

/// Shows a folder in the desktop's file manager. If there is none, copies the path to the clipboard and
/// returns a sentence. Empty on success.
QString openFolder(const std::filesystem::path& folder);
/// Whether the desktop names a file manager; also true if that cannot be determined.
bool hasFileManager();

} // namespace sparserl
