// SPDX-License-Identifier: Apache-2.0
// M2: entries of a row of A meet in shared memory.
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

void writeCached(Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.clampFirst = true;
    writeStaged(g, shape, g.parameter("stage"), false);
}

std::optional<SpmmWork> workRowCaching(const SpmmProgram& program)
{
    return stagedWork(program, 1);
}

int recogniseRowCaching(const ProgramShape& program)
{
    return program.kernel && program.warpWaits && program.sharedMemory && program.storesToC <= 1 ? 50 : 0;
}

} // namespace

KernelFamily rowCaching()
{
    return {
        .family = {"M2",
                   "Coalesced row caching",
                   "Lanes load a tile of their row's entries into shared memory together, then each "
                   "walks it for one column; good for 32 columns and rows of 8 entries and more.",
                   {blockParameter(),
                    {"across", "lanes and columns per row", {32, 8, 16}},
                    {"stage", "entries per lane in a tile", {1, 2, 4}},
                    innerUnrollParameter()},
                   {}},
        .write = writeCached,
        .recognise = recogniseRowCaching,
        .rules = SpmmRules{
            .grids = {{{"block", {128, 64}}, {"across", {32, 16, 8}}, {"stage", {1, 2}}, {"unroll", {4, 8}}}},
            .work = workRowCaching,
            .reason = reasonOfLengths,
            .fits = {{.weights = {1.35, 0.741, 2.18, 1.04, 0.256, 1.29, 0.33, 0, 0.627, 0.0412, 0, 0.627,
                                  1.35, 0.21, 0.459, 0.408},
                      .tail = -0.0296,
                      .factors = {{"across", 8, 1.04},
                                  {"across", 32, 0.95},
                                  {"stage", 4, 1.04},
                                  {"unroll", 1, 0.929},
                                  {"unroll", 2, 0.9},
                                  {"unroll", 4, 1.04},
                                  {"unroll", 8, 1.15}}}}}};
}

} // namespace sparserl::spmm
