// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparserl::ptx {

/// Returns all expansions of a pattern in opcodes.def, each once. In a pattern, "[x]" is optional, "(x|y)" is
/// either x or y, and all other text is literal.
std::vector<std::string> expandPattern(std::string_view pattern);

} // namespace sparserl::ptx
