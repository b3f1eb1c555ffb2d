// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/read.h"

#include <string>
#include <string_view>

namespace sparserl::fuzz {

/// Reads the text as a matrix file of this name; what is accepted is a valid matrix that is written and read
/// back unchanged.
void checkMatrixText(std::string_view text, const std::string& name);

} // namespace sparserl::fuzz
