// SPDX-License-Identifier: Apache-2.0
// M4: vector loads of B, a part of a warp per row.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/groups.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm_portfolio.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::spmm {

namespace {

/// M4
void writeGroups(Grammar& g)
{
    SpmmWriter::Shape shape = groupShape(g);
    shape.stream = g.parameter("stream") != 0;
    SpmmWriter w(g, shape);
    csrArguments(g);
    w.entry(w.grid("rows"), groupComments(w.shape()));
    Rows rows;
    rows.entries = csrEntries(g, g.name("row"));
    rows.spread = g.parameter("spread") != 0;
    if (shape.stream) { // A is read once: it should not push B out of the caches.
        rows.entries.column = [&g](const std::string& i) { return "__ldcs(&" + element(g, "col", i) + ")"; };
        rows.entries.value = [&g](const std::string& i) { return "__ldcs(&" + element(g, "val", i) + ")"; };
    }
    writeGroupBody(g, w, "blockIdx.x", rows);
}

/// B does not fit into the caches: A and C pass them by, or slices of B are walked one after the other.
void proposeStreams(SpmmPortfolio& p)
{
    const MatrixFeatures& f = p.features();
    const double bytesOfB = 4.0 * static_cast<double>(f.cols) * static_cast<double>(p.columns());
    const double others = 8.0 * static_cast<double>(f.nnz) +
                          4.0 * static_cast<double>(f.rows) * static_cast<double>(p.columns());
    const auto streamed = [&](std::int64_t block, std::int64_t across, std::int64_t lanes, std::int64_t batch,
                              double score, const std::string& reason) {
        p.add({{"block", block},
               {"across", across},
               {"vec", p.vec()},
               {"lanes", lanes},
               {"unroll", 4},
               {"batch", batch},
               {"stream", 1}},
              score, reason);
    };
    if (bytesOfB + others > 1.3 * p.device().cacheBytes) {
        const std::string everything = fmt::format("A, B and C take {:.0f} MB", (bytesOfB + others) / 1e6);
        streamed(128, p.across(), p.lanesFor(4), 1, 0.93 * p.evenness(), everything);
        streamed(256, p.across(), p.lanesFor(4), 0, 0.89 * p.evenness(), everything);
    }
    if (bytesOfB < p.device().cacheBytes)
        return;
    const double reuse =
        rising(static_cast<double>(f.nnz) / std::max(1.0, static_cast<double>(f.cols)), 2, 12);
    for (std::int64_t across : {p.across() / 4, p.across() / 2}) {
        if (across >= 2)
            streamed(256, across, std::clamp<std::int64_t>(across * powerAbove(p.mean() / 8, 1, 16), 2, 32),
                     0, 0.65 + 0.25 * reuse, fmt::format("B takes {:.0f} MB", bytesOfB / 1e6));
    }
}

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    if (p.vec() == 1)
        return;
    if (pass == SpmmPass::Others) {
        proposeStreams(p);
        return;
    }
    const GroupChoice choice = [&](std::int64_t lanes, std::int64_t unroll, std::int64_t batch,
                                   std::int64_t block, double score) {
        p.add({{"block", block},
               {"across", p.across()},
               {"vec", p.vec()},
               {"lanes", p.allowedLanes(lanes)},
               {"unroll", unroll},
               {"batch", batch}},
              score * p.evenness(), p.lengths());
    };
    if (pass != SpmmPass::Rows) {
        proposeGroups(p, choice);
        return;
    }
    const std::int64_t lanes = p.lanesFor(4);
    if (lanes > p.across()) {
        p.add({{"block", 128},
               {"across", p.across()},
               {"vec", p.vec()},
               {"lanes", lanes},
               {"unroll", stepFor(p, lanes)},
               {"batch", 1},
               {"spread", 1}},
              0.87 * p.evenness(), p.lengths());
    }
    proposeMoreGroups(p, choice);
}

int recognise(const ProgramShape& program)
{
    return program.kernel && program.vectorLoads ? 30 : 0;
}

} // namespace

KernelFamily vectorLoads()
{
    return {.family = {"M4",
                       "Vector loads, part of a warp per row",
                       "Lanes that read 8 or 16 bytes each cover a row of B, and several such sets share a "
                       "row of A; good for short and medium rows.",
                       {blockParameter(),
                        acrossParameter(),
                        vecParameter({4, 2}),
                        lanesParameter(),
                        unrollParameter(),
                        batchesParameter(),
                        {"spread", "1: each step of the reduction halves what a lane holds", {0, 1}},
                        {"stream", "1: A and C pass the caches by, which are left to B", {0, 1}}},
                       {}},
            .write = writeGroups,
            .recognise = recognise,
            .rules = SpmmRules{.propose = propose, .firstTries = 12, .place = 2}};
}

} // namespace sparserl::spmm
