// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/instruction_help.h"
#include "ptx/opcode_form.h"

#include <string_view>

namespace sparserl::ptx {

/// What an operation does, by opcode_help.def.
struct OperationHelp
{
    std::string_view operands; ///< "d, a, b{, c}"; what stands in braces may be left out.
    std::string_view sentence;
};
const OperationHelp& helpOf(Op op);

/// What a modifier of an opcode ("f32", "global") says; empty: not known. `action`: some say something else
/// in comparisons.
std::string modifierHelp(std::string_view modifier, Action action);

/// The opcode on a line of PTX as it is spelled there ("ld.global.nc.f32"), behind a brace or a predicate.
/// What is no instruction gives something that findOpcode() does not know, or nothing.
std::string_view opcodeOf(std::string_view line);

/// Everything that is known of an allowed form. `spelling`: as a program writes it, with hints about caches.
InstructionHelp explain(const OpcodeForm& form, std::string_view spelling);

} // namespace sparserl::ptx
