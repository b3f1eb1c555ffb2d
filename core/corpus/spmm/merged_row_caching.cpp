// SPDX-License-Identifier: Apache-2.0
// M3: as M2, with several columns per lane.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/staged.h"
#include "corpus/spmm_portfolio.h"
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

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    if (pass != SpmmPass::Others)
        return;
    const std::int64_t across = p.columns() >= 32 ? 16 : p.columns() >= 16 ? 8 : 4;
    p.add({{"block", 128}, {"across", across}, {"merge", 2}, {"unroll", stagedUnroll(p)}},
          (p.columns() >= 32 ? 0.62 : 0.4) * longEnoughToStage(p), p.lengths());
}

int recognise(const ProgramShape& program)
{
    return program.kernel && program.warpWaits && program.sharedMemory && program.storesToC > 1 ? 50 : 0;
}

} // namespace

KernelFamily mergedRowCaching()
{
    return {.family = {"M3",
                       "Coalesced row caching, merged columns",
                       "As M2, with several columns per lane, so that an entry of A is used several times; "
                       "good for wide B.",
                       {blockParameter(),
                        {"across", "lanes per row", {32, 4, 8, 16}},
                        {"merge", "columns per lane", {2, 4}},
                        innerUnrollParameter()},
                       {}},
            .write = writeMerged,
            .recognise = recognise,
            .rules = SpmmRules{.propose = propose, .place = 13}};
}

} // namespace sparserl::spmm
