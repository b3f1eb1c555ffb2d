// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/opcodes.h"

#include <cstdint>

namespace sparserl::sim {

/// An operation on the bits of up to three sources, one lane at a time: for what is too rare to be worth lane
/// functions (half precision, directed rounding of division, dot products of bytes).
using ScalarFn = std::uint64_t (*)(std::uint64_t a, std::uint64_t b, std::uint64_t c);

/// nullptr for a form that is none of these.
ScalarFn findScalar(const ptx::OpcodeForm& form);

/// The number that half-precision bits stand for, and the nearest bits of a number; also of the matrix
/// instructions.
double fromHalf(std::uint32_t bits);
double fromBrain(std::uint32_t bits); ///< bf16
std::uint32_t toHalf(double value);

} // namespace sparserl::sim
