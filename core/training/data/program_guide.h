// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparserl {

/// The text of docs/kernel-programs.md, embedded in the program.
std::string_view programGuide();

} // namespace sparserl
