// SPDX-License-Identifier: Apache-2.0
// M3: as M2, with several columns per lane.
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

void writeMerged(Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.chunks = g.parameter("merge");
    shape.clampFirst = true;
    writeStaged(g, shape, 1, false);
}

std::optional<SpmmWork> workMergedRowCaching(const SpmmProgram& program)
{
    return stagedWork(program, 1);
}

int recogniseMergedRowCaching(const ProgramShape& program)
{
    return program.kernel && program.warpWaits && program.sharedMemory && program.storesToC > 1 ? 50 : 0;
}

} // namespace

KernelFamily mergedRowCaching()
{
    return {
        .family = {"M3",
                   "Coalesced row caching, merged columns",
                   "As M2, with several columns per lane, so that an entry of A is used several times; "
                   "good for wide B.",
                   {blockParameter(),
                    {"across", "lanes per row", {32, 4, 8, 16}},
                    {"merge", "columns per lane", {2, 4}},
                    innerUnrollParameter()},
                   {}},
        .write = writeMerged,
        .recognise = recogniseMergedRowCaching,
        .rules = SpmmRules{
            .grids = {{{"block", {128}}, {"across", {32, 16, 8, 4}}, {"merge", {2, 4}}, {"unroll", {4, 8}}}},
            .work = workMergedRowCaching,
            .reason = reasonOfLengths,
            .fits = {{.weights = {1.73, 0.733, 2.15, 1.08, 0.402, 1.27, 0.329, 0, 0.625, 0.0426, 0.000771,
                                  0.629, 0.924, 0.208, 0.457, 0.404},
                      .tail = -0.171,
                      .factors = {{"across", 8, 1.04},
                                  {"block", 128, 1.04},
                                  {"merge", 2, 0.966},
                                  {"merge", 4, 1.04},
                                  {"unroll", 1, 0.925},
                                  {"unroll", 2, 0.949},
                                  {"unroll", 8, 1.15}}}}}};
}

} // namespace sparserl::spmm
