// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparserl {

/// A cell of a table in CSV (RFC 4180) between quotation marks, those of the text doubled. A text that
/// spreadsheets would take for a formula, which may run commands and contact hosts, gets an apostrophe in
/// front; numbers are no formulas.
std::string csvQuoted(std::string_view text);
/// The same where the text needs them, else the text as it is.
std::string csvCell(const std::string& text);

} // namespace sparserl
