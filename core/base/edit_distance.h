// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace sparserl {

/// The number of letters that must be inserted, removed, replaced or swapped with their neighbour to turn one
/// text into the other (optimal string alignment).
std::size_t editDistance(std::string_view from, std::string_view to);

} // namespace sparserl
