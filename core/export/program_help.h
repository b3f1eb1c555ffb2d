// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/instruction_help.h"

#include <map>
#include <string>

namespace sparserl {

/// Explanations of the instructions in a text, by their spelling there ("ld.global.nc.f32",
/// "LDG.E.CONSTANT").
using InstructionHelps = std::map<std::string, InstructionHelp>;

InstructionHelps explainPtxText(const std::string& ptx);
/// For a listing from readSass.
InstructionHelps explainSassText(const std::string& sass);

/// One paragraph each, for display.
std::string helpText(const InstructionHelps& helps);

} // namespace sparserl
