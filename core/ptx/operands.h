// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/scopes.h"

namespace sparserl::ptx {

/// Reads one operand of an instruction. A plain name is a label if `mayLabel`, otherwise a register or a
/// symbol.
Result<Operand> readOperand(TokenReader& reader, Scopes& scopes, Function& function, bool mayLabel);

} // namespace sparserl::ptx
