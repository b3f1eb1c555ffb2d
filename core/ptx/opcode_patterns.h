// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparserl::ptx {

/// Every text that a pattern of opcodes.def stands for, each once: "[x]" may be left out, "(x|y)" is one of
/// the two, anything else stands for itself.
std::vector<std::string> expandPattern(std::string_view pattern);

} // namespace sparserl::ptx
