// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The names in a parameter such as search.matrices: separated by semicolons, surrounding blanks removed.
/// Names may contain commas: "lp(rows=2000,long=4)".
std::vector<std::string> matrixNames(std::string_view text);
/// The inverse.
std::string joinMatrixNames(const std::vector<std::string>& names);

} // namespace sparserl
