// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparserl {

inline constexpr std::size_t maxLogBytes = 16 * 1024;

/// A compiler's log for storage: valid UTF-8, no control characters except newline and tab, at most 16 KiB.
/// If the log was cut, the last line says how much.
std::string trimLog(std::string_view log);

} // namespace sparserl
