// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparserl {

inline constexpr std::size_t maxLogBytes = 16 * 1024;

/// Converts a compiler's log for storage: to valid UTF-8, without control characters except newline and tab,
/// and at most 16 KiB long. If the log is cut, the last line says how much was cut.
std::string trimLog(std::string_view log);

} // namespace sparserl
