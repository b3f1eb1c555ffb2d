// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/settings_file.h"

#include <filesystem>
#include <vector>

namespace sparserl {

/// Links to folders below a project that this user allows, such as runs on a scratch disk: allowed-links of
/// the settings. A link that leads elsewhere now is another one.
bool isLinkAllowed(const std::filesystem::path& link);
/// Those beneath which `path` really lies.
std::vector<std::filesystem::path> allowedLinksTo(const std::filesystem::path& path);
/// Allows one for good. Fails for what is no link to a folder.
Status allowLink(const std::filesystem::path& link);

} // namespace sparserl
