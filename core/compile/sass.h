// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/sass_control.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Instructions of a cubin as people read them.
struct SassListing
{
    std::string text;
    /// Of each line of the text: the line of the program (from 1) that it comes from; 0: none.
    std::vector<int> lines;
    /// Of each line: what its instruction tells the scheduler; none for labels, and for all lines where the
    /// disassembly has no encodings or where they do not look like the layout that is known.
    std::vector<std::optional<SassControl>> controls;
    /// There are encodings, but not of the known layout.
    bool controlsUnknown = false;
};

/// What `nvdisasm -g -c -hex` says, without its remarks on lines and encodings, which become numbers, without
/// the directives of the assembler and the padding behind the last instruction of a kernel. Takes any text.
SassListing readSass(std::string_view disassembly);

/// The name of the instruction on a line of a listing ("LDG.E.CONSTANT"); empty: there is none.
std::string_view sassName(std::string_view line);

} // namespace sparserl
