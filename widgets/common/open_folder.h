// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <filesystem>

namespace sparserl {

/// Shows a folder in the desktop's file manager. Where there is none, its path goes to the clipboard; the
/// sentence says so. Empty: it is shown.
QString openFolder(const std::filesystem::path& folder);

} // namespace sparserl
