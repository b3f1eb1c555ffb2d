// SPDX-License-Identifier: Apache-2.0
// Half precision computed from its definition, in long double. For core/device/testing only.
#pragma once

#include "ptx/types.h"

#include <cstdint>

namespace sparserl::testing {

/// Rounds to `precision` bits, in units of at least 2^lowest, in the mode `rounding`. Ties go to even, or
/// away from 0 if `tiesAway`.
long double roundTo(long double value, int precision, int lowest, ptx::Rounding rounding,
                    bool tiesAway = false);
/// Returns the number that bits represent in f16 or, if `brain`, in bf16.
long double halfValue(std::uint64_t bits, bool brain);
/// Rounds to f16 or bf16. On overflow, the result is infinity, or the largest number if rounding is towards
/// 0. NaN becomes 0x7fff.
std::uint64_t toHalf(long double value, bool brain, ptx::Rounding rounding = ptx::Rounding::Rn);

} // namespace sparserl::testing
