// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/op.h"
#include "ptx/opcode_form.h"

#include <cstdint>

namespace sparserl::testing {

/// Returns the result of an operation on registers, given the bits of its sources. It follows the PTX manual,
/// in plain C++ with 128-bit integers, long double and the C library, one lane at a time. `d` is a fourth
/// source.
std::uint64_t reference(const ptx::OpcodeForm& form, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                        std::uint64_t d = 0);
/// Returns the result of the comparison in setp and set, before .and, .or or .xor.
bool referenceCompare(const ptx::OpcodeForm& form, std::uint64_t a, std::uint64_t b);
/// Returns the result of a conversion (cvt).
std::uint64_t referenceConversion(const ptx::OpcodeForm& form, std::uint64_t a);
/// Returns the value that an atomic leaves in memory.
std::uint64_t referenceAtomic(ptx::AtomOp op, ptx::Type type, std::uint64_t old, std::uint64_t b,
                              std::uint64_t c);

} // namespace sparserl::testing
