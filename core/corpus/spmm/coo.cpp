// SPDX-License-Identifier: Apache-2.0
// M13: groups take consecutive entries and add a sum where the row changes.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/groups.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/parts.h"
#include "corpus/spmm/reasons.h"
#include "corpus/spmm_work.h"
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

std::optional<SpmmWork> workSpmmCoo(const SpmmProgram& program)
{
    const SpmvMatrix& m = program.m;
    const double items = program.of("items");
    SpmmWork w = program.groups(m.nnz / items, 1, m.nnz, items, items);
    w.bytes = (m.entry + 4) * m.nnz;
    w.zeroed = 1;
    w.atomics = m.nnz / items + m.rows;
    return w;
}

int recogniseSpmmCoo(const ProgramShape& program)
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
            .recognise = recogniseSpmmCoo,
            .rules = SpmmRules{.grids = {{{"block", {128}},
                                          {"across", {2, 4, 8, 1}},
                                          {"vec", {4, 2, 1}},
                                          {"items", {4, 8, 16}},
                                          {"unroll", {1}}}},
                               .work = workSpmmCoo,
                               .reason = reasonOfLongestRow,
                               .fits = {{.weights = {0.794, 0.839, 2.46, 1.24, 0.0666, 1.47, 0.385, 0.00711,
                                                     0.726, 0.0597, 0.0105, 0.662, 0, 0.234, 0.542, 0.421},
                                         .tail = 0.0879,
                                         .factors = {{"across", 1, 1.17},
                                                     {"across", 4, 0.965},
                                                     {"across", 8, 0.895},
                                                     {"block", 64, 1.04},
                                                     {"items", 2, 0.938},
                                                     {"items", 4, 0.927},
                                                     {"items", 8, 0.953},
                                                     {"items", 32, 1.14},
                                                     {"items", 64, 1.06},
                                                     {"unroll", 1, 0.922},
                                                     {"unroll", 4, 1.07},
                                                     {"vec", 1, 0.918},
                                                     {"vec", 2, 0.961},
                                                     {"vec", 4, 1.13}}}}}};
}

} // namespace sparserl::spmm
