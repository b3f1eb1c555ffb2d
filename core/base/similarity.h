// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace sparserl {

/// Shared hashes over all hashes of two sets (sorted, each once), in [0, 1]: the Jaccard index. 0 where both
/// are empty.
double similarity(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b);

} // namespace sparserl
