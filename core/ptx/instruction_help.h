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
    std::string operands;  ///< In the order of the source: "d, a, b, c". May be empty.
    std::string sentence;  ///< Description.
    std::string modifiers; ///< ".ftz: tiny numbers count as 0; .f32: 32-bit float". May be empty.
    std::string cost;      ///< Execution unit and latency; empty: unknown.
    bool operator==(const InstructionHelp&) const = default;
};

/// The meaning of a modifier, which is given without its dot.
struct ModifierHelp
{
    std::string_view name, help;
};
/// Empty if the list does not contain this name.
std::string_view helpAmong(std::span<const ModifierHelp> list, std::string_view name);
/// "add.rn.f32": "rn", "f32".
std::vector<std::string_view> modifiersOf(std::string_view spelling);
/// Appends a meaning to InstructionHelp::modifiers; ignores an empty one.
void tellModifier(InstructionHelp& help, std::string_view modifier, std::string_view meaning);

} // namespace sparserl
