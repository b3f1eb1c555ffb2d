// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// An explanation of an instruction for display.
struct InstructionHelp
{
    std::string operands;  ///< The operands as PTX orders them: "d, a, b, c". May be empty.
    std::string sentence;  ///< What the instruction does.
    std::string modifiers; ///< Meanings: ".ftz: tiny numbers count as 0; .f32: 32-bit float". May be empty.
    std::string cost;      ///< Execution unit and latency; empty: unknown.
    bool operator==(const InstructionHelp&) const = default;
};

/// A modifier, without its dot, and its meaning.
struct ModifierHelp
{
    std::string_view name, help;
};
/// Returns the meaning of a modifier; empty if the list does not contain it.
std::string_view helpAmong(std::span<const ModifierHelp> list, std::string_view name);
/// Returns the modifiers of an opcode: "rn" and "f32" for "add.rn.f32".
std::vector<std::string_view> modifiersOf(std::string_view spelling);
/// Appends a modifier and its meaning to `help.modifiers`. Does nothing if the meaning is empty.
void tellModifier(InstructionHelp& help, std::string_view modifier, std::string_view meaning);

} // namespace sparserl
