// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>
#include <sys/types.h>

namespace sparserl {

/// Of what is neither a file nor a folder: "this is a named pipe, not a file"; else empty. `mode` is that of
/// stat(2).
std::string_view strangeKind(mode_t mode);

/// Where a link of the user leads that stands at the end of a path, else the path itself. Below a project no
/// link is followed.
std::filesystem::path behindLink(const std::filesystem::path& path);

} // namespace sparserl
