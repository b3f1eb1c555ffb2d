// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/decode/kernel_code.h"

#include <cstdint>
#include <vector>

namespace sparserl::sim {

/// A straight run of instructions.
struct CodeBlock
{
    std::uint32_t begin = 0, end = 0;
    std::vector<int> successors, predecessors;
};

/// The basic blocks of a kernel and their successors; the first is at 0. `blockAt`: block of each
/// instruction.
std::vector<CodeBlock> blocksOf(const std::vector<Insn>& code, std::vector<int>& blockAt);

/// A register access of an instruction.
struct RegisterUse
{
    std::uint32_t instruction = 0;
    std::uint32_t number = 0; ///< Number of the register, below the `count` of readBeforeWritten.
    bool write = false;
    bool guard = false; ///< The register is the guarding predicate of the instruction.
};

/// Registers that some path reads before any write, ascending. A predicated write does not count. If
/// following every register exceeds an effort limit, the result may include additional registers.
std::vector<std::uint32_t> readBeforeWritten(const std::vector<Insn>& code, std::vector<RegisterUse> uses,
                                             std::uint32_t count);

/// Sets `join` and `reconverge` of every branch: immediate post-dominators, ignoring paths that end the
/// thread early, as in hardware. Returns false if the control flow is too complex.
[[nodiscard]] bool placeReconvergence(std::vector<Insn>& code);

} // namespace sparserl::sim
