// SPDX-License-Identifier: Apache-2.0
// M15: all rows padded to one length.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/padded_rows.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm_portfolio.h"

#include <algorithm>

namespace sparserl::spmm {

namespace {

void writeEll(Grammar& g)
{
    writePadded(g, "ell");
}

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    const MatrixFeatures& f = p.features();
    if ((pass != SpmmPass::Rows && pass != SpmmPass::Slices) || p.vec() == 1)
        return;
    const auto longest = static_cast<double>(f.rowMax);
    const double bytes = 8.0 * static_cast<double>(f.rows) * longest;
    // Without row pointers there is one thing less to wait for: that counts where the device is idle.
    const double room = bytes <= 4e6 ? p.idle() : 0;
    if (bytes > p.byteLimit() || f.rowMax <= 0 || (f.ellRatio > 4 && room <= 0))
        return;
    const double score = std::max(0.96 * falling(f.ellRatio, 1.2, 4) * falling(p.mean(), 32, 200),
                                  0.99 * room * falling(f.ellRatio, 2, 16) * falling(longest, 32, 160));
    const auto one = [&](std::int64_t lanes, std::int64_t unroll, std::int64_t batch, std::int64_t block,
                         double factor) {
        p.add({{"block", block},
               {"across", p.across()},
               {"vec", p.vec()},
               {"lanes", p.allowedLanes(lanes)},
               {"unroll", unroll},
               {"batch", batch}},
              score * factor, paddingReason(p));
    };
    const bool idle = p.idle() > 0.3;
    const bool all = pass == SpmmPass::Rows;
    const std::int64_t forFour = p.across() * powerAbove(longest / 4, 1, 32);
    one(forFour, 4, 1, 128, idle ? 1 : 0.85);
    one(std::min<std::int64_t>(p.lanesFor(4), 16), 4, 1, 128, 0.97);
    if (all)
        one(p.across(), 4, 0, 128, 0.95);
    one(p.across() * powerAbove(longest / 2, 1, 32), 2, 1, 128, idle ? 0.95 : 0.7);
    if (all)
        one(forFour, 4, 1, 256, idle ? 0.9 : 0.7);
    if (longest > 64)
        one(32, 8, 1, 128, 0.93);
}

int recognise(const ProgramShape& program)
{
    return program.names({"ell"}) ? 106 : 0;
}

} // namespace

KernelFamily ell()
{
    return {
        .family = {"M15",
                   "ELL, part of a warp per row",
                   "All rows padded to one length with vector loads of B; good where rows are equally long.",
                   {blockParameter(), acrossParameter(), vecParameter({4, 2}), lanesParameter(),
                    unrollParameter(), batchesParameter()},
                   {"ell"}},
        .write = writeEll,
        .recognise = recognise,
        .rules = SpmmRules{.propose = propose, .firstTries = 4, .place = 4}};
}

} // namespace sparserl::spmm
