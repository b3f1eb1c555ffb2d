// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// An Error for a file in a recognized but unsupported format: the format, and the command that converts it.
/// nullopt for other files. `head` holds the first bytes.
std::optional<Error> foreignFormat(std::string_view head, const std::string& name);

} // namespace sparserl
