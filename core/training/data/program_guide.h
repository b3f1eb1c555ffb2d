// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparserl {

/// Returns the text of docs/kernel-programs.md, which is embedded in the program.
std::string_view programGuide();

} // namespace sparserl
