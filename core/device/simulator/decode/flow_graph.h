// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/decode/kernel_code.h"

#include <cstdint>
#include <vector>

namespace sparserl::sim {

/// A basic block: a run of instructions without branches in or out.
struct CodeBlock
{
    std::uint32_t begin = 0, end = 0;
    std::vector<int> successors, predecessors;
};

/// Returns the basic blocks of a kernel with their successors. The first block starts at instruction 0. Sets
/// `blockAt` to the block of each instruction.
std::vector<CodeBlock> blocksOf(const std::vector<Insn>& code, std::vector<int>& blockAt);

/// A register access of an instruction.
struct RegisterUse
{
    std::uint32_t instruction = 0;
    std::uint32_t number = 0; ///< Number of the register; less than the `count` of readBeforeWritten().
    bool write = false;
    bool guard = false; ///< The register is the predicate that guards the instruction.
};

/// Returns, in ascending order, the registers that are read before any write on some path. A predicated write
/// does not count as a write. If following every register would take too much work, the result may include
/// further registers.
std::vector<std::uint32_t> readBeforeWritten(const std::vector<Insn>& code, std::vector<RegisterUse> uses,
                                             std::uint32_t count);

/// Sets `join` and `reconverge` of every branch. As in hardware, sides meet at the immediate post-dominator;
/// paths that end the thread early are ignored. Returns false if the control flow is too complex.
[[nodiscard]] bool placeReconvergence(std::vector<Insn>& code);

} // namespace sparserl::sim
