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

/// The runs of a kernel and how they follow each other, the first at 0. `blockAt`: of each instruction.
std::vector<CodeBlock> blocksOf(const std::vector<Insn>& code, std::vector<int>& blockAt);

/// An instruction reads or writes a register.
struct RegisterUse
{
    std::uint32_t instruction = 0;
    std::uint32_t number = 0; ///< Of the register, below the `count` of readBeforeWritten.
    bool write = false;
    bool guard = false; ///< It is the predicate under which the instruction is executed.
};

/// Registers that some path reads before anything wrote them, ascending. A write under a predicate does not
/// count. Where following every register would take more than a bounded effort, registers are named that may
/// not deserve it.
std::vector<std::uint32_t> readBeforeWritten(const std::vector<Insn>& code, std::vector<RegisterUse> uses,
                                             std::uint32_t count);

/// Sets `join` and `reconverge` of every branch: immediate post-dominators, where paths that end the thread
/// early do not count, as on the hardware. False where the branches are too tangled to find out.
[[nodiscard]] bool placeReconvergence(std::vector<Insn>& code);

} // namespace sparserl::sim
