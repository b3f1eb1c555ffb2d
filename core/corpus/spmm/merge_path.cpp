// SPDX-License-Identifier: Apache-2.0
// M6: merge-path tiles of rows and entries.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/groups.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/parts.h"
#include "corpus/spmm/reasons.h"
#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::spmm {

namespace {

/// M6: merge-path tiles of rows and entries; rows that a tile shares with others are added atomically.
void writeTiles(Grammar& g)
{
    SpmmWriter w(g, shapeOf(g, g.parameter("lanes")));
    g.format(fmt::format("tiles(items={})", g.parameter("items")));
    g.buffer("zero C");
    g.argument("int", "rows", "rows");
    g.argument("int", "tiles", "tiles.count");
    g.argument("const int*", "tile_row", "tiles.row");
    g.argument("const int*", "tile_entry", "tiles.nz");
    g.argument("const int*", "row_ptr", "csr.row_ptr");
    g.matrixArguments("csr");
    w.entry(w.grid("tiles.count"),
            {fmt::format("Merge-path tiles of {} rows and entries.", g.parameter("items")),
             "Every group gets the same amount of work.", "Rows that cross tiles are added atomically."});
    const bool ways = w.shape().ways > 1;
    const std::string& t = g.name("thread");
    const std::string& lane = g.name("lane");
    const std::string& row = g.name("row");
    const std::string& last = g.name("last_row");
    const std::string& i = g.name("i");
    const std::string& end = g.name("end");
    const std::string& from = g.name("from");
    const std::string& stop = g.name("stop");
    g.line(fmt::format("int {} = {};", lane, laneInGroup(g, w)));
    g.line(fmt::format("int {} = blockIdx.x * ({}) + {};", t, w.perBlock(), groupInBlock(g, w)));
    w.declareColumn(sideOf(g, w, lane));
    const std::string& j = g.name("j");
    if (ways) { // Lanes without a column stay: the others of their group need them in the sums.
        g.line(fmt::format("if ({} >= {}) return;", t, g.name("tiles")));
        if (w.groupSize() < 32)
            g.line(fmt::format("unsigned {} = {}u << (threadIdx.x % 32 - {});", g.name("mask"),
                               (std::uint64_t(1) << w.groupSize()) - 1, lane));
    } else {
        g.line(fmt::format("if ({} >= {} || {} >= {}) return;", t, g.name("tiles"), j, g.name("dense_cols")));
    }
    const std::string after = t + " + 1";
    g.line(fmt::format("int {} = {}, {} = {}, {} = {};", last, element(g, "tile_row", after), from,
                       element(g, "tile_entry", t), stop, element(g, "tile_entry", after)));
    g.open(fmt::format("for (int {0} = {1}[{2}]; {0} <= {3} && {0} < {4}; {0}++)", row, g.name("tile_row"), t,
                       last, g.name("rows")));
    g.line(fmt::format("int {} = max({}, {});", i, from, element(g, "row_ptr", row)));
    g.line(fmt::format("int {} = min({}, {});", end, stop, element(g, "row_ptr", row + " + 1")));
    const std::string& whole = g.name("whole");
    g.line(fmt::format("bool {0} = {1} < {2} && {3} >= {4};", whole, row, last, element(g, "row_ptr", row),
                       from));
    g.line(fmt::format("if ({} >= {} && !{}) continue;", i, end, whole));
    w.declareSums();
    SpmmWriter::Entries entries = entriesOf(g, "col", "val");
    entries.batch = g.parameter("batch");
    if (ways) {
        g.line(fmt::format("{} += {};", i, wayOf(g, w, lane)));
        g.line(fmt::format("if ({} >= {}) {} = 0;", j, g.name("dense_cols"), end));
        entries.step = w.ways();
    }
    w.entryLoop(entries);
    std::string owner;
    if (ways) {
        w.reduceWays(w.groupSize() < 32 ? g.name("mask") : "0xffffffff");
        owner = fmt::format(" && {} < {} && {} < {}", lane, w.across(), j, g.name("dense_cols"));
    }
    g.open(fmt::format("if ({}{})", whole, owner));
    w.store(row, w.exists);
    g.close();
    g.open(fmt::format("if (!{}{})", whole, owner));
    w.storeAtomically(row, w.exists);
    g.close();
    g.close();
}

std::optional<SpmmWork> workSpmmMergePath(const SpmmProgram& program)
{
    const SpmvMatrix& m = program.m;
    const double items = program.of("items"), ways = program.ways();
    const double tiles = (m.nnz + m.rows) / items;
    SpmmWork w = program.groups(tiles, ways, m.nnz, items, items);
    // Each row of a tile is walked, reduced and stored by itself.
    const double rowsEach = std::max(1.0, m.rows / std::max(1.0, tiles));
    const double each = std::min(items, std::max(1.0, m.mean));
    w.typical = w.chain = 2 + rowsEach * (1.5 + program.reduction(ways) + program.rounds(each, ways));
    w.zeroed = 1;
    w.atomics = tiles;
    return w;
}

int recogniseSpmmMergePath(const ProgramShape& program)
{
    return program.names({"tiles"}) ? 110 : 0;
}

} // namespace

KernelFamily mergePath()
{
    return {
        .family = {"M6",
                   "Merge path",
                   "Tiles of equally many rows and entries, whatever the lengths of rows; rows that cross "
                   "tiles are added atomically; good for power laws and empty rows.",
                   {blockParameter(),
                    acrossParameter(),
                    {"vec", "columns per load", {4, 1, 2}},
                    {"lanes", "lanes per tile; more than across: several entries at once", {2, 8, 16, 32}},
                    {"items", "rows and entries per tile", {64, 16, 32, 128, 256}},
                    unrollParameter(),
                    {"batch", "0: plain loop; 1: masked batches", {0, 1}}},
                   {"tiles"}},
        .write = writeTiles,
        .recognise = recogniseSpmmMergePath,
        .rules = SpmmRules{.grids = {{{"block", {128}},
                                      {"across", {2, 4, 8}},
                                      {"vec", {4, 2, 1}},
                                      {"lanes", {2, 8, 16, 32}},
                                      {"items", {64, 16, 32, 128}},
                                      {"unroll", {4}},
                                      {"batch", {0}}}},
                           .work = workSpmmMergePath,
                           .reason = reasonOfLongestRow,
                           .fits = {{.weights = {2.45, 0.784, 2.3, 0.88, 0.269, 1.38, 0.365, 0.011, 0.674,
                                                 0.0486, 0.00526, 0.677, 2.24, 0.218, 0.496, 0.222},
                                     .tail = 0.0123,
                                     .factors = {{"across", 2, 1.08},
                                                 {"across", 8, 0.928},
                                                 {"items", 32, 0.961},
                                                 {"items", 128, 1.03},
                                                 {"lanes", 2, 1.1},
                                                 {"lanes", 8, 1.03},
                                                 {"lanes", 32, 0.909},
                                                 {"unroll", 1, 0.92},
                                                 {"unroll", 8, 1.06}}}}}};
}

} // namespace sparserl::spmm
