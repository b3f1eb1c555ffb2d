// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace sparserl {

/// Divisors of the row and column counts of test matrices; 1 means an odd number. Some programs are wrong
/// only if rows fill their warps and blocks, others only if rows do not, so tests cover both.
inline constexpr std::array sizeDivisors{1, 2, 32, 128};

/// Returns a random divisor: 1, which means odd, in half of the cases.
inline int drawSizeDivisor(Rng& rng)
{
    return rng.next() & 1 ? 1 : sizeDivisors[1 + rng.below(sizeDivisors.size() - 1)];
}

/// Returns a positive multiple of `divisor` near `number`, or an odd number if `divisor` is 1.
constexpr std::int32_t multipleNear(std::int32_t number, int divisor)
{
    return divisor == 1 ? number | 1 : std::max(divisor, (number + divisor / 2) / divisor * divisor);
}

/// Returns a random size between `about` / 2 and 2 `about`, log-uniform, that is a multiple of `divisor` (or
/// odd).
inline std::int32_t sizeNear(std::int32_t about, int divisor, Rng& rng)
{
    return multipleNear(static_cast<std::int32_t>(about * std::exp2(rng.uniform(-1, 1))), divisor);
}

} // namespace sparserl
