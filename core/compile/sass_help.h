// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/instruction_help.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Who carries an instruction of a GPU out, by the names that profilers give to pipes.
enum class SassUnit : std::uint8_t
{
    Unknown,
    FMA, ///< Sums and products of floats; products of whole numbers.
    ALU, ///< Whole numbers, bits, comparisons.
    FP64,
    XU, ///< Special functions and conversions.
    Tensor,
    Uniform, ///< Once for the whole warp.
    LSU,     ///< Loads and stores.
    ADU,     ///< Barriers of blocks.
    CBU      ///< Branches and barriers of lanes.
};

/// How long until its result can be used.
enum class SassLatency : std::uint8_t
{
    Unknown,
    Fixed, ///< A few clocks; the assembler knows how many.
    Tens,
    Hundreds
};

/// A row of sass_opcodes.def.
struct SassOpcode
{
    std::string_view name; ///< Without modifiers: "IMAD".
    std::string_view operands;
    SassUnit unit = SassUnit::Unknown;
    SassLatency latency = SassLatency::Unknown;
    std::string_view sentence;
};
const std::vector<SassOpcode>& sassOpcodes();
/// By a name with or without modifiers ("LDG.E.CONSTANT"); nullptr: not in the table.
const SassOpcode* findSassOpcode(std::string_view name);

/// What a modifier of an opcode says; empty: not known.
std::string_view sassModifierHelp(std::string_view modifier, const SassOpcode& opcode);

/// Everything that is known of an instruction; nothing of one that is not in the table.
std::optional<InstructionHelp> explainSass(std::string_view name);

} // namespace sparserl
