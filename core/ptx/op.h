// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/types.h"

namespace sparserl::ptx {

/// The names of the operations. Few callers need them, because the other fields of a form determine how it is
/// processed.
enum class Op : std::uint8_t
{
#define OPCODE(op, action, pipe, address) op,
#define FORMS(op, pattern, operands, implementation)
#include "ptx/opcodes.def"
#undef OPCODE
#undef FORMS
};

} // namespace sparserl::ptx
