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

/// Returns the meaning of an opcode's modifier ("f32", "global"); empty if it is unknown. In comparisons, as
/// given by `action`, the meaning may differ.
std::string modifierHelp(std::string_view modifier, Action action);

/// Returns the opcode in a line of PTX as spelled there ("ld.global.nc.f32"), without a leading brace or
/// predicate. For lines that are no instructions, returns an empty text or a text that findOpcode() does not
/// know.
std::string_view opcodeOf(std::string_view line);

/// Explains an allowed form. `spelling` is the opcode as written in a program, with cache hints.
InstructionHelp explain(const OpcodeForm& form, std::string_view spelling);

} // namespace sparserl::ptx
