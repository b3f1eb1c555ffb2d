// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// What an instruction of a GPU tells the scheduler of warps. Since sm_70 it stands in bits 105 to 125 of
/// the 128 of an instruction (Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via
/// Microbenchmarking", 2018, section 2.1).
struct SassControl
{
    int stall = 0;         ///< Clocks until the warp may issue its next instruction, 0 to 15.
    bool yield = false;    ///< The scheduler had better take another warp next.
    int writeBarrier = -1; ///< 0 to 5: raised until the result is there; -1: none.
    int readBarrier = -1;  ///< 0 to 5: raised until the operands were read; -1: none.
    unsigned waits = 0;    ///< Bit i: waits first until barrier i is down.
    unsigned reuse = 0;    ///< Bit i: the operand in place i stays at hand for the next instruction.
    bool operator==(const SassControl&) const = default;
};

/// From the upper 64 of the 128 bits. A barrier that does not exist (6) is kept: plausibleControls() says so.
SassControl decodeControl(std::uint64_t upper);

/// "B0--3--:R-:W2:Y:S04": barriers waited for, barrier of the operands and of the result, Y where another
/// warp had better be next, stall. As in maxas, with the fields in the order of CuAssembler.
std::string controlText(const SassControl& control);
/// How wide that is.
constexpr std::size_t controlWidth = 19;

/// An instruction as a disassembler names it, and what was decoded of it.
struct ControlledInstruction
{
    std::string text; ///< "IMAD.MOV.U32 R4, RZ, RZ, R2.reuse ;"
    SassControl control;
};
/// Whether bits of one kernel can be control codes at all: as many operands are kept as the disassembler
/// marks, no barrier is called 6, and what is waited for is raised somewhere. The layout of an architecture
/// that fails this is not the known one.
bool plausibleControls(const std::vector<ControlledInstruction>& kernel);

} // namespace sparserl
