// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// What people are told of an instruction.
struct InstructionHelp
{
    std::string operands;  ///< In their order, as a program writes them: "d, a, b, c". May be empty.
    std::string sentence;  ///< What it does.
    std::string modifiers; ///< ".ftz: tiny numbers count as 0; .f32: 32-bit float". May be empty.
    std::string cost;      ///< The unit that carries it out, and how long that takes; empty: not known.
    bool operator==(const InstructionHelp&) const = default;
};

/// What a modifier means, without its dot.
struct ModifierHelp
{
    std::string_view name, help;
};
/// Empty: the list has none of this name.
std::string_view helpAmong(std::span<const ModifierHelp> list, std::string_view name);
/// "add.rn.f32": "rn", "f32".
std::vector<std::string_view> modifiersOf(std::string_view spelling);
/// Adds a meaning to InstructionHelp::modifiers; an empty one is not told.
void tellModifier(InstructionHelp& help, std::string_view modifier, std::string_view meaning);

} // namespace sparserl
