// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// Returns the bits of the number of IEEE's binary16 that is nearest to `value`, ties to even.
std::uint16_t halfBits(double value);
/// Returns the number of these bits of IEEE's binary16.
double fromHalfBits(std::uint16_t bits);

/// Returns the bits of the bfloat16 that is nearest to `value`. Rounds twice, first to float. The result
/// differs from that of a single rounding only if float cannot distinguish the value from the middle between
/// two results.
std::uint16_t brainBits(double value);
/// Returns the number of these bits of bfloat16.
double fromBrainBits(std::uint16_t bits);

} // namespace sparserl
