// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/instruction_help.h"

#include <map>
#include <string>

namespace sparserl {

/// What is known of each instruction that occurs in a text, by its name as the text has it
/// ("ld.global.nc.f32", "LDG.E.CONSTANT").
using InstructionHelps = std::map<std::string, InstructionHelp>;

InstructionHelps explainPtxText(const std::string& ptx);
/// Of a listing by readSass.
InstructionHelps explainSassText(const std::string& sass);

/// For people, a paragraph each.
std::string helpText(const InstructionHelps& helps);

} // namespace sparserl
