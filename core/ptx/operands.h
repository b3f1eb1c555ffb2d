// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/scopes.h"

namespace sparserl::ptx {

/// One operand of an instruction; a plain name is a label with `mayLabel`, else a register or a symbol.
Result<Operand> readOperand(TokenReader& reader, Scopes& scopes, Function& function, bool mayLabel);

} // namespace sparserl::ptx
