// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sparserl {

/// What is left of a program's text when names, numbers, comments and layout are taken out: hashes of every
/// five tokens in a row, sorted, each once.
std::vector<std::uint64_t> textShape(std::string_view program);

/// Shared hashes over all hashes, in [0, 1]. Copies with other names give 1.
double similarity(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b);

/// From here on a program counts as a copy (evaluation.md B.4 #31).
constexpr double copiedSimilarity = 0.9;

} // namespace sparserl
