// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/sass_control.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The instructions of a cubin in readable form.
struct SassListing
{
    std::string text;
    /// For each line of the text, the line of the program (from 1) that it comes from; 0: none.
    std::vector<int> lines;
    /// For each line, the control code of its instruction. nullopt for labels, and for all lines if the
    /// disassembly has no encodings or the encodings do not match the known layout.
    std::vector<std::optional<SassControl>> controls;
    /// True if the disassembly has encodings that do not match the known layout.
    bool controlsUnknown = false;
};

/// Reads the output of `nvdisasm -g -c -hex`. Converts the disassembler's remarks about source lines and
/// encodings to numbers. Omits assembler directives and the padding after the last instruction of a kernel.
/// Accepts any text.
SassListing readSass(std::string_view disassembly);

/// The name of the instruction on a line of a listing ("LDG.E.CONSTANT"). Empty if the line has no
/// instruction.
std::string_view sassName(std::string_view line);

} // namespace sparserl
