// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string_view>

namespace sparserl {

/// The Error of a failed file operation: "WHAT: REASON". The remedy takes into account the kind of file (it
/// may be a pipe, a socket or a device) and the project that contains it.
Error fileError(std::string_view what, const std::filesystem::path& path, int error);

} // namespace sparserl
