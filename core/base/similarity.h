// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparserl {

/// Shared hashes over all hashes of two sets (sorted, each once), in [0, 1]: the Jaccard index. 0 where both
/// are empty.
double similarity(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b);

/// How much of `part` is in `whole`, in [0, 1], whatever else is in there; sets as above. Where `whole` has
/// as many as `most` hashes, only its lowest ones are known, and what is above them in `part` does not count.
/// 0 where nothing counts.
double contained(const std::vector<std::uint32_t>& part, const std::vector<std::uint32_t>& whole,
                 std::size_t most);

} // namespace sparserl
