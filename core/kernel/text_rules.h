// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/plan.h"

#include <optional>
#include <string_view>

namespace sparserl {

inline constexpr std::size_t maxProgramBytes = 64 * 1024;

/// Checks the bytes of a whole program: at most 64 KiB of UTF-8 without byte order mark, NUL or lone carriage
/// return.
std::optional<PlanError> checkProgramText(std::string_view text);

} // namespace sparserl
