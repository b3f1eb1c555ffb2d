// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <sys/types.h>

namespace sparserl {

/// A description of a path that is neither a file nor a folder ("this is a named pipe, not a file"),
/// otherwise empty. `mode` comes from stat(2).
std::string_view strangeKind(mode_t mode);

/// The destination of the user's link at the end of a path. If the path does not end in a link, the path
/// itself. Links below a project are not followed.
std::filesystem::path behindLink(const std::filesystem::path& path);

} // namespace sparserl
