// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparserl {

/// The Jaccard index of two sets of hashes (sorted, unique), in [0, 1]: shared hashes divided by all hashes.
/// 0 if both are empty.
double similarity(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b);

/// The fraction of `part` contained in `whole`, in [0, 1]; sets as above. If `whole` has `most` hashes, it
/// contains only the lowest hashes of its text, so higher hashes of `part` are ignored. 0 if no hashes
/// remain.
double contained(const std::vector<std::uint32_t>& part, const std::vector<std::uint32_t>& whole,
                 std::size_t most);

} // namespace sparserl
