// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparserl {

inline constexpr std::size_t maxLogBytes = 16 * 1024;

/// A compiler's log as it is kept: valid UTF-8, no control characters but newline and tab, at most 16 KiB
/// with a last line that says what was cut.
std::string trimLog(std::string_view log);

} // namespace sparserl
