// SPDX-License-Identifier: Apache-2.0
// Half precision by its definition, in long double. Inside core/device/testing only.
#pragma once

#include "ptx/types.h"

#include <cstdint>

namespace sparserl::testing {

/// Rounds to `precision` bits with units of at least 2^lowest, in the mode `rounding`; ties go to even, or
/// away from 0.
long double roundTo(long double value, int precision, int lowest, ptx::Rounding rounding,
                    bool tiesAway = false);
/// The number represented by bits of f16 or (`brain`) bf16.
long double halfValue(std::uint64_t bits, bool brain);
/// Rounds to the format. On overflow, infinity, or the largest number if rounding towards 0. NaN becomes
/// 0x7fff.
std::uint64_t toHalf(long double value, bool brain, ptx::Rounding rounding = ptx::Rounding::Rn);

} // namespace sparserl::testing
