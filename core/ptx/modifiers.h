// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/opcode_form.h"

namespace sparserl::ptx {

/// Sets what the modifiers in `form.text` say, where `form.op` and `form.action` are known.
void readModifiers(OpcodeForm& form);

} // namespace sparserl::ptx
