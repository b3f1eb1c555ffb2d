// SPDX-License-Identifier: Apache-2.0
// M7: lanes on different entries of a row, single columns per load.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/groups.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm_portfolio.h"
#include "corpus/spmm_writer.h"

#include <algorithm>

namespace sparserl::spmm {

namespace {

/// M7: as M4 with single columns per load, one or several of them per lane.
void writeParallel(Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.ways = std::max<std::int64_t>(2, g.parameter("lanes") / shape.across);
    shape.chunks = g.parameter("merge");
    SpmmWriter w(g, shape);
    csrArguments(g);
    w.entry(w.grid("rows"),
            {"Parallel reduction: lanes over the entries of a row.",
             "Lanes share a row and add up by shuffles.", "Each set of lanes takes every P-th entry."});
    Rows rows;
    rows.entries = csrEntries(g, g.name("row"));
    writeGroupBody(g, w, "blockIdx.x", rows);
}

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    const auto wide = [&](std::int64_t unroll, double score) {
        p.add({{"block", 128},
               {"across", std::min<std::int64_t>(8, p.across() * 2)},
               {"merge", 2},
               {"lanes", 32},
               {"unroll", unroll},
               {"batch", 1}},
              score, p.lengths());
    };
    if (p.vec() > 1) {
        const auto waiting = longRowsOf(p);
        if (pass == SpmmPass::Rows && waiting)
            wide(waiting->each > 4 ? 4 : 2, 0.8 * p.idle());
        if (pass == SpmmPass::Others)
            wide(2, 0.35 * p.evenness());
        return;
    }
    if (pass == SpmmPass::Others)
        return;
    // No vectors fit into the rows of B: this is the work horse.
    const GroupChoice choice = [&](std::int64_t lanes, std::int64_t unroll, std::int64_t batch,
                                   std::int64_t block, double score) {
        p.add({{"block", block},
               {"across", p.across()},
               {"merge", p.columns() > 8 ? 2 : 1},
               {"lanes", std::clamp<std::int64_t>(p.allowedLanes(lanes), 8, 32)},
               {"unroll", unroll},
               {"batch", batch}},
              score * p.evenness(), p.lengths());
    };
    if (pass == SpmmPass::Rows)
        proposeMoreGroups(p, choice);
    else
        proposeGroups(p, choice);
}

int recognise(const ProgramShape& program)
{
    return program.kernel && program.shuffles ? 20 : 0;
}

} // namespace

KernelFamily parallelReduction()
{
    return {.family = {"M7",
                       "Parallel reduction",
                       "Lanes take different entries of a row and add up by shuffles; good for few columns, "
                       "or where they are not a multiple of 2.",
                       {blockParameter(),
                        {"across", "lanes side by side on columns", {4, 1, 2, 8}},
                        {"merge", "columns per lane", {1, 2, 4}},
                        {"lanes", "lanes per row", {32, 8, 16}},
                        unrollParameter(),
                        batchesParameter()},
                       {}},
            .write = writeParallel,
            .recognise = recognise,
            .rules = SpmmRules{.propose = propose, .place = 1}};
}

} // namespace sparserl::spmm
