// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// Returns 16 hexadecimal digits from the system's random source, for ids of commands and annotations.
std::string uniqueId();

} // namespace sparserl
