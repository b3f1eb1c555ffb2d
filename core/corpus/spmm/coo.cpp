// SPDX-License-Identifier: Apache-2.0
// M13: groups take consecutive entries and add a sum where the row changes.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/groups.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/parts.h"
#include "corpus/spmm_portfolio.h"
#include "corpus/spmm_writer.h"

#include <fmt/format.h>

namespace sparserl::spmm {

namespace {

/// M13: groups take consecutive entries of COO and add a sum where the row changes.
void writeEdges(Grammar& g)
{
    SpmmWriter w(g, shapeOf(g, 1));
    const std::string items = g.constant("K", g.parameter("items"));
    g.format("coo");
    g.buffer("zero C");
    g.argument("int", "nnz", "nnz");
    g.argument("const int*", "row_of", "coo.row");
    g.matrixArguments("coo");
    w.entry(w.grid(fmt::format("ceil_div(nnz, {})", items)),
            {fmt::format("Edge-parallel: {} entries per group.", g.parameter("items")),
             "Sums are added where the row changes.", "Entries in parallel, atomic sums."});
    const std::string& i = g.name("i");
    const std::string& end = g.name("end");
    const std::string& row = g.name("row");
    const std::string& j = g.name("j");
    const std::string& lane = g.name("lane");
    if (w.shape().across > 1)
        g.line(fmt::format("int {} = {};", lane, laneInGroup(g, w)));
    g.line(
        fmt::format("int {} = (blockIdx.x * ({}) + {}) * {};", i, w.perBlock(), groupInBlock(g, w), items));
    g.line(fmt::format("int {} = min({} + {}, {});", end, i, items, g.name("nnz")));
    w.declareColumn(lane);
    g.guard(i, end);
    g.open(fmt::format("if ({} < {})", j, g.name("dense_cols")));
    w.declareSums();
    g.line(fmt::format("int {} = {};", row, element(g, "row_of", i)));
    g.unroll(g.parameter("unroll"));
    g.open(fmt::format("for (; {0} < {1}; {0}++)", i, end));
    const std::string& next = g.name("next_row");
    g.line(fmt::format("int {} = {};", next, element(g, "row_of", i)));
    g.open(fmt::format("if ({} != {})", next, row));
    w.storeAtomically(row, w.exists);
    g.line(fmt::format("{} = {};", row, next));
    g.line(fmt::format("{} = {};", w.sum(0), w.zero()));
    g.close();
    if (w.shape().vec == 1) {
        w.addRow(element(g, "val", i), element(g, "col", i));
    } else {
        g.line(fmt::format("float {} = {};", g.name("a"), element(g, "val", i)));
        w.addRow(g.name("a"), element(g, "col", i));
    }
    g.close();
    w.storeAtomically(row, w.exists);
    g.close();
    g.endGuard();
}

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    const double empty = p.features().emptyRows;
    if (pass != SpmmPass::Rows || (p.mean() >= 3 && empty <= 0.4))
        return;
    for (std::int64_t items : {std::int64_t(4), std::int64_t(16)})
        p.add({{"block", 128}, {"across", p.across()}, {"vec", p.vec()}, {"items", items}, {"unroll", 1}},
              (0.3 + 0.3 * empty) * (items == 4 ? 1 : 0.9), p.skewReason());
}

int recognise(const ProgramShape& program)
{
    return program.names({"coo"}) ? 108 : 0;
}

} // namespace

KernelFamily coo()
{
    return {.family = {"M13",
                       "COO, entries in parallel",
                       "Groups of lanes take consecutive entries and add to C atomically where the row "
                       "changes; good for hypersparse matrices.",
                       {blockParameter(),
                        acrossParameter(),
                        {"vec", "columns per load", {4, 1, 2}},
                        {"items", "entries per group", {8, 1, 2, 4, 16, 32, 64}},
                        {"unroll", "steps of the inner loop per branch", {1, 2, 4}}},
                       {"coo"}},
            .write = writeEdges,
            .recognise = recognise,
            .rules = SpmmRules{.propose = propose, .place = 8}};
}

} // namespace sparserl::spmm
