// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparserl {

/// 16 hex digits from the system's random source: ids of commands and annotations.
std::string uniqueId();

} // namespace sparserl
