// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparserl::ptx {

/// All expansions of a pattern in opcodes.def, each once: "[x]" is optional, "(x|y)" is one of the two, all
/// other text is literal.
std::vector<std::string> expandPattern(std::string_view pattern);

} // namespace sparserl::ptx
