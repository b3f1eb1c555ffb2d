// SPDX-License-Identifier: Apache-2.0
// Half precision by its definition, in long double. Inside core/device/testing only.
#pragma once

#include "ptx/types.h"

#include <cstdint>

namespace sparserl::testing {

/// The number with so many bits of precision and no smaller unit than 2^lowest that `rounding` chooses; a tie
/// goes to even, or away from 0.
long double roundTo(long double value, int precision, int lowest, ptx::Rounding rounding,
                    bool tiesAway = false);
/// The number that bits of f16 or (`brain`) bf16 stand for.
long double halfValue(std::uint64_t bits, bool brain);
/// Rounded as the format rounds; what is too large becomes infinity, or the largest number where it is
/// rounded towards 0. NaN becomes 0x7fff.
std::uint64_t toHalf(long double value, bool brain, ptx::Rounding rounding = ptx::Rounding::Rn);

} // namespace sparserl::testing
