// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string_view>

namespace sparserl {

/// The Error of an operation on a file or a folder: "WHAT: REASON", with advice that fits what lies there
/// now, which may be a pipe, a socket or a device, and the project that it is in.
Error fileError(std::string_view what, const std::filesystem::path& path, int error);

} // namespace sparserl
