// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// Returns an Error for a file in a format that is recognised but not supported. The Error names the format
/// and the command that converts it. Returns nullopt for other files. `head` has the first bytes of the file.
std::optional<Error> foreignFormat(std::string_view head, const std::string& name);

} // namespace sparserl
