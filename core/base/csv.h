// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparserl {

/// Returns a text as a quoted CSV cell (RFC 4180). Doubles quotation marks in the text. Spreadsheet formulas
/// can run commands and contact hosts, so text that looks like a formula gets a leading apostrophe. Numbers
/// stay as they are.
std::string csvQuoted(std::string_view text);
/// Like csvQuoted(), but quotes only text that needs quotation marks.
std::string csvCell(const std::string& text);

} // namespace sparserl
