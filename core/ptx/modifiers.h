// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/opcode_form.h"

namespace sparserl::ptx {

/// Sets the fields of `form` that the modifiers in `form.text` determine. `form.op` and `form.action` must be
/// set.
void readModifiers(OpcodeForm& form);

} // namespace sparserl::ptx
