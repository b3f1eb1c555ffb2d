// SPDX-License-Identifier: Apache-2.0
// S16: windows of rows with their distinct columns. The grammar has no program of it; models write some.
#include "corpus/families.h"
#include "corpus/program_shape.h"

namespace sparserl::spmv {

namespace {

int recogniseWindows(const ProgramShape& program)
{
    return program.names({"windows"}) ? 103 : 0;
}

} // namespace

KernelFamily windows()
{
    return {.family = {.id = "S16", .name = "Windows of rows"},
            .recognise = recogniseWindows,
            .rules = SpmvRules{}};
}

} // namespace sparserl::spmv
