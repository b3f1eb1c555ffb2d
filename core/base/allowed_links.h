// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/settings_file.h"

#include <filesystem>
#include <vector>

namespace sparserl {

/// Whether the user allows this link below a project. An allowed link leads to a folder, for example to runs
/// on a scratch disk. The settings file allowed-links lists these links. A link whose destination changes is
/// no longer allowed.
bool isLinkAllowed(const std::filesystem::path& link);
/// Returns the allowed links whose destinations contain `path`.
std::vector<std::filesystem::path> allowedLinksTo(const std::filesystem::path& path);
/// Allows a link permanently. Fails if `link` is not a link to a folder.
Status allowLink(const std::filesystem::path& link);

} // namespace sparserl
