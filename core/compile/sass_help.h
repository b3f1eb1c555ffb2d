// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/instruction_help.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The unit that executes a GPU instruction. The names are the ones that profilers use for pipes.
enum class SassUnit : std::uint8_t
{
    Unknown,
    FMA, ///< Sums and products of floats; products of integers.
    ALU, ///< Integers, bits, comparisons.
    FP64,
    XU, ///< Special functions and conversions.
    Tensor,
    Uniform, ///< Executes once for the whole warp.
    LSU,     ///< Loads and stores.
    ADU,     ///< Barriers of blocks.
    CBU      ///< Branches and barriers of lanes.
};

/// The time until the result of an instruction is available.
enum class SassLatency : std::uint8_t
{
    Unknown,
    Fixed, ///< A few cycles; the assembler knows how many.
    Tens,
    Hundreds
};

/// A row of sass_opcodes.def.
struct SassOpcode
{
    std::string_view name; ///< The name without modifiers: "IMAD".
    std::string_view operands;
    SassUnit unit = SassUnit::Unknown;
    SassLatency latency = SassLatency::Unknown;
    std::string_view sentence;
};
const std::vector<SassOpcode>& sassOpcodes();
/// Finds an opcode by its name with or without modifiers ("LDG.E.CONSTANT"). Returns nullptr if the table
/// does not contain it.
const SassOpcode* findSassOpcode(std::string_view name);

/// Returns the meaning of an opcode's modifier, or an empty string if it is unknown.
std::string_view sassModifierHelp(std::string_view modifier, const SassOpcode& opcode);

/// Returns the help for an instruction, or nullopt if the table does not contain it.
std::optional<InstructionHelp> explainSass(std::string_view name);

} // namespace sparserl
