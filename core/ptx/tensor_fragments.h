// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"

#include <optional>

namespace sparserl::ptx {

/// Expands wmma.load, wmma.store and wmma.mma, to which mma.h compiles, into plain loads, stores and
/// mma.sync, as an assembler does. Supports f16, bf16, tf32 and f64 in all shapes of sm_80. PTX does not
/// specify which lane holds which element; this expansion follows the H100. Adds the necessary registers to
/// `function`. Returns nullopt for other instructions and for malformed operands.
std::optional<std::vector<Instruction>> expandFragments(Function& function, const Instruction& instruction);

} // namespace sparserl::ptx
