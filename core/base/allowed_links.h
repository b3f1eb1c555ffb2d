// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>

namespace sparserl {

/// Where this user's settings of the command line are kept: $XDG_CONFIG_HOME/sparserl, or below ~/.config.
std::filesystem::path userSettingsFolder();

/// Links to folders below a project that this user allows, such as runs on a scratch disk: allowed-links of
/// the settings. A link that leads elsewhere now is another one.
bool isLinkAllowed(const std::filesystem::path& link);
/// Allows one for good. Fails for what is no link to a folder.
Status allowLink(const std::filesystem::path& link);

} // namespace sparserl
