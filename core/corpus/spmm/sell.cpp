// SPDX-License-Identifier: Apache-2.0
// M14: sorted rows in slices, padded per slice.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/padded_rows.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm_portfolio.h"

#include <algorithm>

namespace sparserl::spmm {

namespace {

void writeSell(Grammar& g)
{
    writePadded(g, "sell");
}

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    if (pass != SpmmPass::Rows || p.vec() == 1)
        return;
    const std::int64_t lanes = std::min<std::int64_t>(p.lanesFor(4), 16);
    const std::int64_t step = p.perLane(lanes) <= 2 ? 2 : 4;
    for (std::int64_t slice : {std::int64_t(8), std::int64_t(16)}) {
        p.add({{"block", 128},
               {"across", p.across()},
               {"vec", p.vec()},
               {"lanes", lanes},
               {"unroll", slice == 8 ? 4 : step},
               {"batch", slice == 8 ? 0 : 1},
               {"slice", slice},
               {"sigma", sortingWindow(p)}},
              slicesScore(p) * (slice == 8 ? 1 : 0.95), paddingReason(p));
    }
}

int recognise(const ProgramShape& program)
{
    return program.names({"sell"}) ? 107 : 0;
}

} // namespace

KernelFamily sell()
{
    return {
        .family =
            {"M14",
             "SELL-C-sigma, part of a warp per row",
             "Sorted rows in padded slices with vector loads of B; good for short rows of similar length.",
             {blockParameter(),
              acrossParameter(),
              vecParameter({4, 2}),
              lanesParameter(),
              unrollParameter(),
              batchesParameter(),
              {"slice", "rows per slice", {16, 8, 32}},
              {"sigma", "rows per sorting window", {256, 64, 1024}}},
             {"sell"}},
        .write = writeSell,
        .recognise = recognise,
        .rules = SpmmRules{.propose = propose, .firstTries = 2, .place = 5}};
}

} // namespace sparserl::spmm
