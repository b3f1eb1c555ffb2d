// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparserl::spmv {

/// Combines the sums of the lanes that end in the same row. The last of these lanes adds the total to y.
/// `KEY` identifies the row of a lane. Among lanes with entries, it must not decrease from lane to lane.
inline constexpr std::string_view addByWarp = R"(
    // Lanes of one row add up in the last of them.
    for (int $offset = 1; $offset < 32; $offset *= 2) {
    float $a = __shfl_up_sync(0xffffffff, $sum, $offset);
    int $k = __shfl_up_sync(0xffffffff, @KEY, $offset);
    if ($lane >= $offset && $k == @KEY) $sum += $a;
    }
    int $next = __shfl_down_sync(0xffffffff, @KEY, 1);
    )";

} // namespace sparserl::spmv
