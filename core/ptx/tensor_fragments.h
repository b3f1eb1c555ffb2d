// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"

#include <optional>

namespace sparserl::ptx {

/// wmma.load, wmma.store and wmma.mma, which mma.h is made of, as plain loads, stores and mma.sync: what
/// assemblers make of them. For f16, bf16, tf32 and f64 in all shapes of sm_80; PTX leaves open which lane
/// holds which element, here it is as on an H100. Registers that this needs are added to `function`. Nothing
/// where the instruction is none of these or is not written as it must be.
std::optional<std::vector<Instruction>> expandFragments(Function& function, const Instruction& instruction);

} // namespace sparserl::ptx
