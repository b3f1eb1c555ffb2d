// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparserl {

inline constexpr std::size_t maxLogBytes = 16 * 1024;

/// Prepares a compiler's log for storage. The result is valid UTF-8 without control characters except newline
/// and tab, and has at most 16 KiB. If the log was cut, the last line says how much was cut.
std::string trimLog(std::string_view log);

} // namespace sparserl
