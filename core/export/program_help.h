// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/instruction_help.h"

#include <map>
#include <string>

namespace sparserl {

/// Explanations of the instructions in a text, keyed by the instruction's spelling in the text
/// ("ld.global.nc.f32", "LDG.E.CONSTANT").
using InstructionHelps = std::map<std::string, InstructionHelp>;

InstructionHelps explainPtxText(const std::string& ptx);
/// Explains the instructions of a listing from readSass().
InstructionHelps explainSassText(const std::string& sass);

/// Returns the explanations for display, each as a paragraph.
std::string helpText(const InstructionHelps& helps);

} // namespace sparserl
