// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sparserl {

/// A bin of a histogram of row lengths. The bins are [0,0], [1,1], [2,3], [4,7], ... [2^k, 2^(k+1) - 1].
struct RowLengthBin
{
    std::int64_t low = 0, high = 0; ///< Inclusive.
    std::int64_t rows = 0, entries = 0;
};
/// Counts row lengths. Needs only the row pointers, so the columns of a mapped file are not read.
std::vector<RowLengthBin> rowLengthHistogram(std::span<const std::int32_t> rowPtr);

} // namespace sparserl
