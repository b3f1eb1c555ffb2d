// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <filesystem>

namespace sparserl {

/// Shows a folder in the desktop's file manager. Where there is none, its path goes to the clipboard; the
/// sentence says so. Empty: it is shown.
QString openFolder(const std::filesystem::path& folder);
/// Whether the desktop names a program that shows folders; true also where it cannot be asked.
bool hasFileManager();

} // namespace sparserl
