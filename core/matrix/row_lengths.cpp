// SPDX-License-Identifier: Apache-2.0
#include "matrix/row_lengths.h"

#include <bit>

namespace sparserl {

std::vector<RowLengthBin> rowLengthHistogram(std::span<const std::int32_t> rowPtr)
{
    std::vector<RowLengthBin> bins;
    for (std::size_t r = 0; r + 1 < rowPtr.size(); ++r) {
        const std::int32_t length = rowPtr[r + 1] - rowPtr[r];
        const auto bin = static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(length)));
        while (bins.size() <= bin) {
            const std::size_t i = bins.size();
            const std::int64_t low = i == 0 ? 0 : std::int64_t(1) << (i - 1);
            bins.push_back({low, i == 0 ? 0 : 2 * low - 1, 0, 0});
        }
        ++bins[bin].rows;
        bins[bin].entries += length;
    }
    return bins;
}

} // namespace sparserl
