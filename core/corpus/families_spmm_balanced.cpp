// SPDX-License-Identifier: Apache-2.0
// SpMM for rows of very different length: M6, M11, M13, M20.
#include "corpus/family_table.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

std::string element(Grammar& g, const char* role, const std::string& index)
{
    return fmt::format("{}[{}]", g.name(role), index);
}

SpmmWriter::Entries entriesOf(Grammar& g, const char* column, const char* value)
{
    SpmmWriter::Entries entries;
    entries.column = [&g, column](const std::string& i) { return element(g, column, i); };
    entries.value = [&g, value](const std::string& i) { return element(g, value, i); };
    entries.declared = true;
    entries.unroll = g.parameter("unroll");
    return entries;
}

SpmmWriter::Shape shapeOf(const Grammar& g, std::int64_t lanes)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.ways = std::max<std::int64_t>(1, lanes / shape.across);
    shape.vec = g.parameter("vec");
    return shape;
}

/// "threadIdx.x / 8" or "threadIdx.x": the group of this thread in its block.
std::string groupInBlock(Grammar& g, const SpmmWriter& w)
{
    const bool product = w.shape().ways > 1 && w.shape().across > 1 && !g.style().literalParameters;
    const std::string by = product ? "(" + w.group() + ")" : w.group();
    return w.groupSize() == 1 ? "threadIdx.x" : g.quotient("threadIdx.x", by, w.groupSize());
}

std::string laneInGroup(Grammar& g, const SpmmWriter& w)
{
    const bool product = w.shape().ways > 1 && w.shape().across > 1 && !g.style().literalParameters;
    const std::string by = product ? "(" + w.group() + ")" : w.group();
    return w.groupSize() == 1 ? "0" : g.remainder("threadIdx.x", by, w.groupSize());
}

std::string wayOf(Grammar& g, const SpmmWriter& w, const std::string& lane)
{
    return w.shape().across == 1 ? lane : g.quotient(lane, w.across(), w.shape().across);
}

std::string sideOf(Grammar& g, const SpmmWriter& w, const std::string& lane)
{
    return w.shape().ways == 1 || w.shape().across == 1 ? lane
                                                        : g.remainder(lane, w.across(), w.shape().across);
}

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
    std::string owner = "";
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

/// The part of M11 that a group of lanes does for one short row.
void writeShortRows(Grammar& g, SpmmWriter& w, const std::string& block, const std::string& prefix,
                    bool padded = false)
{
    const std::string role = prefix;
    const auto named = [&](const char* what) { return g.name(role + what); };
    const std::string& row = g.name("row");
    const std::string& lane = g.name("lane");
    const std::string& i = g.name("i");
    const std::string& end = g.name("end");
    const std::string& j = g.name("j");
    g.line(fmt::format("int {} = {};", lane, laneInGroup(g, w)));
    g.line(fmt::format("int {} = {} * ({}) + {};", row, block, w.perBlock(), groupInBlock(g, w)));
    w.declareColumn(sideOf(g, w, lane));
    w.declareSums();
    const std::string& out = g.name("slot_row");
    g.line(fmt::format("int {} = 0, {} = 0, {} = 0;", i, end, out));
    g.open(fmt::format("if ({} < {} && {} < {})", row, named("rows"), j, g.name("dense_cols")));
    const bool ways = w.shape().ways > 1;
    std::string step = w.ways();
    if (padded) {
        step = ways ? fmt::format("{} * {}", w.ways(), named("rows")) : named("rows");
        g.line(
            fmt::format("{} = {}{};", i, row,
                        ways ? fmt::format(" + {} * {}", wayOf(g, w, lane), named("rows")) : std::string()));
        g.line(fmt::format("{} = {} * {};", end, named("width"), named("rows")));
    } else {
        g.line(fmt::format("{} = {}[{}]{};", i, named("ptr"), row,
                           ways ? " + " + wayOf(g, w, lane) : std::string()));
        g.line(fmt::format("{} = {}[{} + 1];", end, named("ptr"), row));
    }
    g.line(fmt::format("{} = {}[{}];", out, named("ids"), row)); // Early: nothing waits for it.
    g.close();
    SpmmWriter::Entries entries;
    entries.column = [named](const std::string& at) { return fmt::format("{}[{}]", named("col"), at); };
    entries.value = [named](const std::string& at) { return fmt::format("{}[{}]", named("val"), at); };
    entries.declared = true;
    entries.unroll = g.parameter("unroll");
    entries.batch = g.parameter("batch");
    entries.step = step;
    w.entryLoop(entries);
    w.reduceWays();
    std::string test = fmt::format("{} < {}", row, named("rows"));
    if (ways)
        test += fmt::format(" && {} < {}", lane, w.across());
    w.store(out, test);
}

/// The part of M11 that a block does for one long row, or for one piece of the long rows.
void writeLongRows(Grammar& g, SpmmWriter& w, bool pieces)
{
    const std::string& row = g.name("row");
    const std::string& i = g.name("i");
    const std::string& end = g.name("end");
    const std::string& j = g.name("j");
    const std::string way = w.shape().across == 1 ? std::string("threadIdx.x")
                                                  : g.quotient("threadIdx.x", w.across(), w.shape().across);
    w.declareColumn(g.remainder("threadIdx.x", w.across(), w.shape().across));
    SpmmWriter::Entries entries;
    entries.column = [&g](const std::string& at) { return element(g, "long_col", at); };
    entries.value = [&g](const std::string& at) { return element(g, "long_val", at); };
    entries.declared = true;
    entries.unroll = g.parameter("unroll");
    entries.batch = g.parameter("batch");
    entries.step = w.ways();
    if (!pieces) {
        w.declareSums();
        g.line(fmt::format("int {} = blockIdx.x;", row));
        g.line(fmt::format("int {} = {};", g.name("slot_row"), element(g, "long_ids", row)));
        g.line(fmt::format("int {} = {} + {};", i, element(g, "long_ptr", row), way));
        g.line(fmt::format("int {} = {} < {} ? {} : 0;", end, j, g.name("dense_cols"),
                           element(g, "long_ptr", row + " + 1")));
        w.entryLoop(entries);
        w.reduceBlock(w.sums());
        w.store(g.name("slot_row"), fmt::format("threadIdx.x < {}", w.across()));
        return;
    }
    const std::string& last = g.name("last_row");
    g.line(fmt::format("int {} = {};", last, element(g, "tile_row", "blockIdx.x + 1")));
    g.open(fmt::format("for (int {0} = {1}; {0} <= {2} && {0} < {3}; {0}++)", row,
                       element(g, "tile_row", "blockIdx.x"), last, g.name("long_rows")));
    g.line(fmt::format("int {} = max({}, {});", i, element(g, "tile_entry", "blockIdx.x"),
                       element(g, "long_ptr", row)));
    g.line(fmt::format("int {} = min({}, {});", end, element(g, "tile_entry", "blockIdx.x + 1"),
                       element(g, "long_ptr", row + " + 1")));
    g.line(fmt::format("if ({} >= {}) continue;", i, end));
    w.declareSums();
    g.line(fmt::format("{} += {};", i, way));
    g.line(fmt::format("if ({} >= {}) {} = 0;", j, g.name("dense_cols"), end));
    w.entryLoop(entries);
    w.reduceBlock(w.sums());
    w.storeAtomically(element(g, "long_ids", row), fmt::format("threadIdx.x < {}", w.across()));
    g.remark("The partial sums are read before the next row writes them.");
    g.line("__syncthreads();");
    g.close();
}

void shortArguments(Grammar& g)
{
    g.argument("int", "short_rows", "low.rows");
    g.argument("const int*", "short_ids", "low.row_ids");
    g.argument("const int*", "short_ptr", "low.row_ptr");
    g.argument("const int*", "short_col", "low.col");
    g.argument("const float*", "short_val", "low.val");
}

void longArguments(Grammar& g, bool pieces)
{
    if (pieces) {
        g.argument("int", "long_rows", "high.rows");
        g.argument("const int*", "tile_row", "pieces.row");
        g.argument("const int*", "tile_entry", "pieces.nz");
    }
    g.argument("const int*", "long_ids", "high.row_ids");
    g.argument("const int*", "long_ptr", "high.row_ptr");
    g.argument("const int*", "long_col", "high.col");
    g.argument("const float*", "long_val", "high.val");
}

/// M11: short rows by groups of lanes, long rows by blocks, in one launch or in two.
void writeParts(Grammar& g)
{
    const std::int64_t pieces = g.parameter("piece");
    g.part(fmt::format("low = rows with length in [0, {})", g.parameter("split")));
    g.part(fmt::format("high = rows with length in [{}, inf)", g.parameter("split")));
    if (pieces) {
        g.format(fmt::format("pieces = tiles(items={}) of high", pieces));
        g.buffer("zero C");
    }
    const std::string longBlocks = pieces ? "pieces.count" : "high.rows";
    const SpmmWriter::Shape few = shapeOf(g, g.parameter("lanes"));
    SpmmWriter::Shape all = few;
    all.ways = all.block / all.across;
    SpmmWriter low(g, few);
    const SpmmWriter::Names names{low.block(), low.across(), g.constant("Q", all.ways)};
    SpmmWriter high(g, all, names);
    if (g.parameter("fused")) {
        const std::string& first = g.name("long_blocks");
        g.argument("int", "long_blocks", longBlocks);
        shortArguments(g);
        longArguments(g, pieces > 0);
        g.vectorArguments();
        low.entry(fmt::format("dim3({} + ceil_div(low.rows, {}), {})", longBlocks, low.perBlock(),
                              low.columnBlocks()),
                  {"Long rows by blocks, short rows by groups of lanes, in one launch.",
                   fmt::format("Rows of {} entries and more get a block each.", g.parameter("split")),
                   "Row decomposition; the long rows start first."});
        high.declarePartials(1);
        g.open(fmt::format("if (blockIdx.x < {})", first));
        writeLongRows(g, high, pieces > 0);
        g.line("return;");
        g.close();
        writeShortRows(g, low, fmt::format("(blockIdx.x - {})", first), "short_");
        return;
    }
    longArguments(g, pieces > 0);
    g.vectorArguments();
    low.entry(fmt::format("dim3({}, {})", longBlocks, low.columnBlocks()),
              {"Long rows: a block shares the entries.", "The block part of a row decomposition.",
               "Long rows by whole blocks."},
              "kernel_long");
    high.declarePartials(1);
    writeLongRows(g, high, pieces > 0);
    shortArguments(g);
    g.vectorArguments();
    low.entry(fmt::format("dim3(ceil_div(low.rows, {}), {})", low.perBlock(), low.columnBlocks()),
              {"Short rows: a group of lanes each.", "The rest of the rows.", "Several short rows per warp."},
              "kernel_short");
    writeShortRows(g, low, "blockIdx.x", "short_");
}

/// M20: two ranges of short rows padded as ELL, so that no row pointer is waited for, and blocks for long
/// rows.
void writeBuckets(Grammar& g)
{
    const std::int64_t first = g.parameter("first"), second = g.parameter("second");
    g.part(fmt::format("low = rows with length in [0, {})", first));
    g.part(fmt::format("mid = rows with length in [{}, {})", first, second));
    g.part(fmt::format("high = rows with length in [{}, inf)", second));
    g.format("low_ell = ell of low");
    g.format("mid_ell = ell of mid");
    const SpmmWriter::Shape few = shapeOf(g, g.parameter("lanes"));
    SpmmWriter::Shape more = shapeOf(g, std::max(g.parameter("mid_lanes"), 2 * few.across)), all = few;
    all.ways = all.block / all.across;
    SpmmWriter low(g, few);
    SpmmWriter mid(g, more, {low.block(), low.across(), g.constant("R", more.ways)});
    SpmmWriter high(g, all, {low.block(), low.across(), g.constant("Q", all.ways)});
    const std::string midBlocks = fmt::format("ceil_div(mid.rows, {})", mid.perBlock());
    g.argument("int", "long_blocks", "high.rows");
    g.argument("int", "mid_blocks", midBlocks);
    for (const char* prefix : {"short_", "mid_"}) {
        const std::string part = prefix[0] == 's' ? "low" : "mid", role = prefix;
        g.argument("int", role + "rows", part + ".rows");
        g.argument("int", role + "width", part + "_ell.width");
        g.argument("const int*", role + "ids", part + ".row_ids");
        g.argument("const int*", role + "col", part + "_ell.col");
        g.argument("const float*", role + "val", part + "_ell.val");
    }
    longArguments(g, false);
    g.vectorArguments();
    low.entry(fmt::format("dim3(high.rows + {} + ceil_div(low.rows, {}), {})", midBlocks, low.perBlock(),
                          low.columnBlocks()),
              {"Rows in buckets by length: two padded, the longest by blocks.",
               fmt::format("Buckets of rows: below {}, below {} and the rest.", first, second),
               "Padded buckets need no row pointers."});
    high.declarePartials(1);
    const std::string& blocks = g.name("long_blocks");
    const std::string& middle = g.name("mid_blocks");
    g.open(fmt::format("if (blockIdx.x < {})", blocks));
    writeLongRows(g, high, false);
    g.line("return;");
    g.close();
    g.open(fmt::format("if (blockIdx.x < {} + {})", blocks, middle));
    writeShortRows(g, mid, fmt::format("(blockIdx.x - {})", blocks), "mid_", true);
    g.line("return;");
    g.close();
    writeShortRows(g, low, fmt::format("(blockIdx.x - {} - {})", blocks, middle), "short_", true);
}

} // namespace

std::vector<FamilyEntry> spmmBalancedFamilies()
{
    const FamilyParameter block = {"block", "threads per block", {128, 64, 256, 512}};
    const FamilyParameter across = {"across", "lanes side by side on columns", {2, 1, 4, 8}};
    const FamilyParameter vec = {"vec", "columns per load", {4, 2}};
    const FamilyParameter unroll = {"unroll", "entries per step of a thread", {4, 1, 2, 8}};
    const FamilyParameter batch = {
        "batch", "0: plain loop; 1: masked batches; 2: batches with prefetch", {0, 1, 2}};
    return {
        {{"M6",
          "Merge path",
          "Tiles of equally many rows and entries, whatever the lengths of rows; rows that cross tiles are "
          "added "
          "atomically; good for power laws and empty rows.",
          {block,
           across,
           {"vec", "columns per load", {4, 1, 2}},
           {"lanes", "lanes per tile; more than across: several entries at once", {2, 8, 16, 32}},
           {"items", "rows and entries per tile", {64, 16, 32, 128, 256}},
           unroll,
           {"batch", "0: plain loop; 1: masked batches", {0, 1}}},
          {"tiles"}},
         writeTiles},
        {{"M11",
          "Row decomposition",
          "Rows are split by length: a block or several share a long row, a part of a warp takes a short "
          "one; "
          "good for long tails.",
          {{"block", "threads per block", {128, 64, 256, 512, 1024}},
           across,
           vec,
           {"lanes", "lanes per short row", {8, 2, 4, 16, 32}},
           {"split", "least length of a long row", {256, 32, 64, 128, 512, 1024}},
           {"piece", "entries of long rows per block; 0: a block per long row", {0, 512, 1024, 2048}},
           {"fused", "1: one launch for both; 0: one each", {1, 0}},
           unroll,
           batch},
          {"tiles"}},
         writeParts},
        {{"M13",
          "COO, entries in parallel",
          "Groups of lanes take consecutive entries and add to C atomically where the row changes; good for "
          "hypersparse matrices.",
          {block,
           across,
           {"vec", "columns per load", {4, 1, 2}},
           {"items", "entries per group", {8, 1, 2, 4, 16, 32, 64}},
           {"unroll", "steps of the inner loop per branch", {1, 2, 4}}},
          {"coo"}},
         writeEdges},
        {{"M20",
          "Buckets of rows",
          "Rows in three ranges of length in one launch: two padded, without row pointers to wait for, and a "
          "block for each row of the longest; good where rows are few or uneven.",
          {{"block", "threads per block", {128, 64, 256, 512, 1024}},
           across,
           vec,
           {"lanes", "lanes per row of the first range", {4, 2, 8, 16}},
           {"mid_lanes", "lanes per row of the second range", {32, 16}},
           {"first", "least length in the second range", {16, 4, 8, 32}},
           {"second", "least length in the third range", {128, 64, 256, 512}},
           unroll,
           {"batch", "0: plain loop; 1: masked batches", {1, 0}}},
          {"ell"}},
         writeBuckets},
    };
}

} // namespace sparserl
