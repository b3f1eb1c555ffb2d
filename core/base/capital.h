// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// Returns the text with a capital first letter, unless it begins with a name, a number or a command.
std::string withCapital(std::string text);

} // namespace sparserl
