// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// Where a file is of a kind that is known and not read: what it is, with the one command that makes of it
/// what is read. Nothing for others. `head` is what it begins with.
std::optional<Error> foreignFormat(std::string_view head, const std::string& name);

} // namespace sparserl
