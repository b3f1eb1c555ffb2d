// SPDX-License-Identifier: Apache-2.0
// M2: entries of a row of A meet in shared memory.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/staged.h"
#include "corpus/spmm_portfolio.h"
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

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    if (pass != SpmmPass::Others)
        return;
    const std::int64_t across = p.columns() >= 32 ? 32 : p.columns() >= 16 ? 16 : 8;
    p.add(
        {{"block", 128}, {"across", across}, {"stage", p.mean() >= 64 ? 2 : 1}, {"unroll", stagedUnroll(p)}},
        0.6 * longEnoughToStage(p) * (p.columns() >= 16 ? 1 : 0.6), p.lengths());
}

int recognise(const ProgramShape& program)
{
    return program.kernel && program.warpWaits && program.sharedMemory && program.storesToC <= 1 ? 50 : 0;
}

} // namespace

KernelFamily rowCaching()
{
    return {.family = {"M2",
                       "Coalesced row caching",
                       "Lanes load a tile of their row's entries into shared memory together, then each "
                       "walks it for one column; good for 32 columns and rows of 8 entries and more.",
                       {blockParameter(),
                        {"across", "lanes and columns per row", {32, 8, 16}},
                        {"stage", "entries per lane in a tile", {1, 2, 4}},
                        innerUnrollParameter()},
                       {}},
            .write = writeCached,
            .recognise = recognise,
            .rules = SpmmRules{.propose = propose, .place = 12}};
}

} // namespace sparserl::spmm
