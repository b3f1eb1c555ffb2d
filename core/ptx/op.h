// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/types.h"

namespace sparserl::ptx {

/// Operations by name. Few callers need them: the rest of a form determines its processing.
enum class Op : std::uint8_t
{
#define OPCODE(op, action, pipe, address) op,
#define FORMS(op, pattern, operands, implementation)
#include "ptx/opcodes.def"
#undef OPCODE
#undef FORMS
};

} // namespace sparserl::ptx
