// SPDX-License-Identifier: Apache-2.0
// M5: as M2 with vector loads of B, longest rows first.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/reasons.h"
#include "corpus/spmm/staged.h"
#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

namespace sparserl::spmm {

namespace {

void writeSwizzled(Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.vec = g.parameter("vec");
    shape.clampFirst = true;
    writeStaged(g, shape, g.parameter("stage"), true);
}

std::optional<SpmmWork> workRowSwizzle(const SpmmProgram& program)
{
    return stagedWork(program, 2);
}

int recogniseRowSwizzle(const ProgramShape& program)
{
    return program.names({"order"}) ? 102 : 0;
}

} // namespace

KernelFamily rowSwizzle()
{
    return {.family = {"M5",
                       "One-dimensional tiles with row swizzle",
                       "Rows sorted by length, tiles of A in shared memory, vector loads of B; good for "
                       "pruned weights of neural networks.",
                       {blockParameter(),
                        {"across", "lanes per row", {8, 2, 4, 16, 32}},
                        {"vec", "columns per load", {4, 1, 2}},
                        {"stage", "entries per lane in a tile", {4, 1, 2, 8}},
                        innerUnrollParameter()},
                       {"order"}},
            .write = writeSwizzled,
            .recognise = recogniseRowSwizzle,
            .rules = SpmmRules{.grids = {{{"block", {128, 64}},
                                          {"across", {8, 2, 4, 16, 32}},
                                          {"vec", {4, 2, 1}},
                                          {"stage", {4, 2, 8}},
                                          {"unroll", {4, 8}}}},
                               .work = workRowSwizzle,
                               .reason = reasonOfLengths,
                               .fits = {{.weights = {1.44, 0.723, 2.12, 1.1, 0.109, 1.28, 0.318, 0, 0.612,
                                                     0.0408, 0.000745, 0.572, 2, 0.201, 0.454, 0.398},
                                         .tail = -0.0699,
                                         .factors = {{"across", 2, 1.13},
                                                     {"across", 4, 1.04},
                                                     {"across", 8, 0.953},
                                                     {"across", 16, 0.965},
                                                     {"across", 32, 0.93},
                                                     {"stage", 1, 0.964},
                                                     {"stage", 8, 1.04},
                                                     {"unroll", 1, 0.957},
                                                     {"unroll", 2, 0.925},
                                                     {"unroll", 8, 1.12}}}}}};
}

} // namespace sparserl::spmm
