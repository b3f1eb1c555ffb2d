// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/scopes.h"

namespace sparserl::ptx {

/// Reads one operand of an instruction. If `mayLabel`, a plain name is a label. Otherwise it is a register or
/// a symbol.
Result<Operand> readOperand(TokenReader& reader, Scopes& scopes, Function& function, bool mayLabel);

} // namespace sparserl::ptx
