// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparserl {

/// A quoted CSV cell (RFC 4180); quotation marks in the text are doubled. Spreadsheet formulas can run
/// commands and contact hosts, so text that looks like a formula gets a leading apostrophe. Numbers stay as
/// they are.
std::string csvQuoted(std::string_view text);
/// Like csvQuoted(), but quotes only text that needs quotation marks.
std::string csvCell(const std::string& text);

} // namespace sparserl
