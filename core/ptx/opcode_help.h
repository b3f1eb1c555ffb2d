// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/instruction_help.h"
#include "ptx/opcode_form.h"

#include <string_view>

namespace sparserl::ptx {

/// The description of an operation in opcode_help.def.
struct OperationHelp
{
    std::string_view operands; ///< "d, a, b{, c}"; parts in braces are optional.
    std::string_view sentence;
};
const OperationHelp& helpOf(Op op);

/// The meaning of an opcode's modifier ("f32", "global"); empty: unknown. `action`: the meaning may differ in
/// comparisons.
std::string modifierHelp(std::string_view modifier, Action action);

/// The opcode in a line of PTX as spelled there ("ld.global.nc.f32"), after a brace or a predicate. For other
/// lines, an empty text or one unknown to findOpcode().
std::string_view opcodeOf(std::string_view line);

/// Explains an allowed form. `spelling`: as written in a program, with cache hints.
InstructionHelp explain(const OpcodeForm& form, std::string_view spelling);

} // namespace sparserl::ptx
