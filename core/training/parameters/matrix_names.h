// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Splits a parameter such as search.matrices at semicolons and removes blanks around the names. Names may
/// contain commas: "lp(rows=2000,long=4)".
std::vector<std::string> matrixNames(std::string_view text);
/// Joins names in the form that matrixNames() reads.
std::string joinMatrixNames(const std::vector<std::string>& names);

} // namespace sparserl
