// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace sparserl {

/// Divisors of the row and column counts of test matrices; 1 means an odd number. A program may be wrong only
/// if rows fill its warps and blocks, or only if they do not, so tests cover both.
inline constexpr std::array sizeDivisors{1, 2, 32, 128};

/// Odd half of the time.
inline int drawSizeDivisor(Rng& rng)
{
    return rng.next() & 1 ? 1 : sizeDivisors[1 + rng.below(sizeDivisors.size() - 1)];
}

/// A positive multiple near a number, or an odd number.
constexpr std::int32_t multipleNear(std::int32_t number, int divisor)
{
    return divisor == 1 ? number | 1 : std::max(divisor, (number + divisor / 2) / divisor * divisor);
}

/// A size from half of `about` to twice `about`, log-uniform, and a multiple of `divisor` (or odd).
inline std::int32_t sizeNear(std::int32_t about, int divisor, Rng& rng)
{
    return multipleNear(static_cast<std::int32_t>(about * std::exp2(rng.uniform(-1, 1))), divisor);
}

} // namespace sparserl
