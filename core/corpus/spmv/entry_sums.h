// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparserl::spmv {

/// Sums of lanes that end in the same row meet in the last of them, which adds them to y: `KEY` never falls
/// from lane to lane among lanes that hold entries.
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
