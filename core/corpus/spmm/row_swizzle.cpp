// SPDX-License-Identifier: Apache-2.0
// M5: as M2 with vector loads of B, longest rows first.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/staged.h"
#include "corpus/spmm_portfolio.h"
#include "corpus/spmm_writer.h"

#include <algorithm>

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

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    if (pass != SpmmPass::Others)
        return;
    const double longEnough = longEnoughToStage(p);
    const double wide = p.columns() >= 16 ? 1 : 0.6;
    const auto one = [&](std::int64_t block, std::int64_t stage, std::int64_t unroll, double score) {
        p.add({{"block", block},
               {"across", std::max<std::int64_t>(2, p.across())},
               {"vec", p.vec()},
               {"stage", stage},
               {"unroll", unroll}},
              score * longEnough * wide, p.lengths());
    };
    one(128, p.mean() >= 64 ? 8 : 4, stagedUnroll(p), 0.75);
    one(64, 2, 4, 0.6);
}

int recognise(const ProgramShape& program)
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
            .recognise = recognise,
            .rules = SpmmRules{.propose = propose, .place = 11}};
}

} // namespace sparserl::spmm
