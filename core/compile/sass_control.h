// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// The control code of a GPU instruction, which directs the warp scheduler. Since sm_70, it occupies bits 105
/// to 125 of the 128 bits of an instruction (Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via
/// Microbenchmarking", 2018, section 2.1).
struct SassControl
{
    int stall = 0;         ///< Cycles until the warp may issue its next instruction, 0 to 15.
    bool yield = false;    ///< The scheduler should select another warp next.
    int writeBarrier = -1; ///< The barrier (0 to 5) that is set until the result is available; -1: none.
    int readBarrier = -1;  ///< The barrier (0 to 5) that is set until the operands have been read; -1: none.
    unsigned waits = 0;    ///< Bit i: the instruction waits until barrier i is clear.
    unsigned reuse = 0;    ///< Bit i: operand i stays in the reuse cache for the next instruction.
    bool operator==(const SassControl&) const = default;
};

/// Decodes the control code from the upper 64 of the 128 bits of an instruction. Keeps the barrier number 6,
/// which does not exist; plausibleControls() reports it.
SassControl decodeControl(std::uint64_t upper);

/// "B0--3--:R-:W2:Y:S04": the barriers that the instruction waits for, the read barrier, the write barrier, Y
/// if another warp should be next, and the stall. The notation comes from maxas, and the order of the fields
/// from CuAssembler.
std::string controlText(const SassControl& control);
/// The width of the text from controlText().
constexpr std::size_t controlWidth = 19;

/// An instruction as written by a disassembler, with its decoded control code.
struct ControlledInstruction
{
    std::string text; ///< "IMAD.MOV.U32 R4, RZ, RZ, R2.reuse ;"
    SassControl control;
};
/// Whether the decoded bits of one kernel can be control codes: the number of reused operands equals the
/// number that the disassembler marks, no barrier has number 6, and every barrier that an instruction waits
/// for is set by an instruction. Otherwise, the architecture does not have the known layout.
bool plausibleControls(const std::vector<ControlledInstruction>& kernel);

} // namespace sparserl
