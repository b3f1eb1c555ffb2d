// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace sparserl {

/// Returns to how many rows the last layer is applied at a time when log-probabilities are computed. Larger
/// batches are computed in pieces, so that the logits of a whole batch are never in memory: with a large
/// vocabulary, they take more than all layers. `recompute` is Compute::recompute.
constexpr std::int64_t headRows(std::int64_t vocabulary, bool recompute)
{
    constexpr std::int64_t logits = 1 << 23; // 32 MiB in fp32
    constexpr std::int64_t fewest = 256;     // else products take longer to read the weights than to compute
    constexpr std::int64_t mostRecomputed = 512;
    const std::int64_t rows = std::max(fewest, logits / std::max<std::int64_t>(vocabulary, 1));
    return recompute ? std::min(rows, mostRecomputed) : rows;
}

} // namespace sparserl
