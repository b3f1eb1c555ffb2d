// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace sparserl {

/// Shared hashes over all hashes of two shapes of code (CodeTraits::shape), in [0, 1]. What runs is compared:
/// other names, another order, comments and functions that nothing calls change nothing. 0 where both are
/// empty.
double similarity(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b);

/// From here on a program counts as a copy (docs/evaluation.md 3 #31): the same loop in other words stays
/// above 0.76, and no other family of the corpus comes above 0.62.
constexpr double copiedSimilarity = 0.75;

} // namespace sparserl
