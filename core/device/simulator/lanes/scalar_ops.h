// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/opcode_form.h"

#include <cstdint>

namespace sparserl::sim {

/// An operation on the bits of up to three sources in one lane. For instructions that are too rare for lane
/// functions (half precision, directed rounding of division, dot products of bytes).
using ScalarFn = std::uint64_t (*)(std::uint64_t a, std::uint64_t b, std::uint64_t c);

/// Returns the operation of a form, or nullptr if there is none.
ScalarFn findScalar(const ptx::OpcodeForm& form);

} // namespace sparserl::sim
