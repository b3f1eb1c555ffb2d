// SPDX-License-Identifier: Apache-2.0
// SpMM kernels that stage entries of A in shared memory: M2, M3, M5.
#include "corpus/family_table.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

/// A group of `across` lanes loads a tile of its row's entries together, then every lane walks the tile for
/// its own columns.
void writeStaged(Grammar& g, const SpmmWriter::Shape& shape, std::int64_t stage, bool sorted)
{
    SpmmWriter w(g, shape);
    g.argument("int", "rows", "rows");
    if (sorted) {
        g.format("order");
        g.argument("const int*", "row_ids", "order.row_ids");
    }
    g.argument("const int*", "row_ptr", "csr.row_ptr");
    g.matrixArguments("csr");
    w.entry(w.grid("rows"),
            sorted ? std::vector<std::string>{"One-dimensional tiles, longest rows first.",
                                              "Row swizzle: neighbouring groups get rows of equal length.",
                                              "Tiles of A in shared memory, vectors of B."}
                   : std::vector<std::string>{"Coalesced row caching: entries of A in shared memory.",
                                              "A group of lanes loads its row's entries together.",
                                              "Every entry of A is read once per group."});
    const std::string tile =
        stage == 1 ? w.across() : w.known(shape.across * stage, fmt::format("{} * {}", w.across(), stage));
    const std::string& columns = g.name("col_cache");
    const std::string& values = g.name("val_cache");
    const std::string room =
        stage == 1 ? w.block() : w.known(shape.block * stage, fmt::format("{} * {}", w.block(), stage));
    g.line(fmt::format("__shared__ int {}[{}];", columns, room));
    g.line(fmt::format("__shared__ float {}[{}];", values, room));
    const std::string& lane = g.name("lane");
    const std::string& row = g.name("row");
    const std::string& first = g.name("first");
    g.line(fmt::format("int {} = {};", lane, g.remainder("threadIdx.x", w.across(), shape.across)));
    g.line(fmt::format("int {} = blockIdx.x * ({}) + {};", row, w.perBlock(),
                       g.quotient("threadIdx.x", w.across(), shape.across)));
    w.declareColumn(lane);
    // A group leaves as a whole: its lanes share the row.
    g.guard(row, g.name("rows"));
    if (sorted)
        g.line(fmt::format("{0} = {1}[{0}];", row, g.name("row_ids")));
    g.line(stage == 1 ? fmt::format("int {} = threadIdx.x - {};", first, lane)
                      : fmt::format("int {} = (threadIdx.x - {}) * {};", first, lane, stage));
    std::string sync = "__syncwarp();";
    if (shape.across < 32) {
        const std::string& mask = g.name("mask");
        g.line(fmt::format("unsigned {} = {}u << (threadIdx.x % 32 - {});", mask,
                           (std::uint64_t(1) << shape.across) - 1, lane));
        sync = fmt::format("__syncwarp({});", mask);
    }
    // Lanes beyond the last column help to load and compute a column that they do not store.
    const std::string& j = g.name("j");
    const std::string own = w.column(0);
    g.line(fmt::format("int {} = min({}, {} - 1);", own, j, g.name("dense_cols")));
    w.declareChunks();
    w.declareSums();
    const std::string& i = g.name("i");
    const std::string& k = g.name("k");
    const std::string& end = g.name("end");
    const std::string& count = g.name("count");
    g.line(fmt::format("int {} = {}[{} + 1];", end, g.name("row_ptr"), row));
    g.open(
        fmt::format("for (int {0} = {1}[{2}]; {0} < {3}; {0} += {4})", i, g.name("row_ptr"), row, end, tile));
    g.line(fmt::format("int {} = min({} - {}, {});", count, end, i, tile));
    if (stage == 1)
        g.open(fmt::format("if ({} < {})", lane, count));
    else
        g.open(fmt::format("for (int {0} = {1}; {0} < {2}; {0} += {3})", k, lane, count, w.across()));
    const std::string& place = stage == 1 ? lane : k;
    g.line(fmt::format("{}[{} + {}] = {}[{} + {}];", columns, first, place, g.name("col"), i, place));
    g.line(fmt::format("{}[{} + {}] = {}[{} + {}];", values, first, place, g.name("val"), i, place));
    g.close();
    g.line(sync);
    g.unroll(g.parameter("unroll"));
    g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", k, count));
    if (shape.vec == 1 && shape.chunks == 1) {
        w.addRow(fmt::format("{}[{} + {}]", values, first, k), fmt::format("{}[{} + {}]", columns, first, k));
    } else {
        g.line(fmt::format("float {} = {}[{} + {}];", g.name("a"), values, first, k));
        g.line(fmt::format("int {} = {}[{} + {}];", g.name("column"), columns, first, k));
        w.addRow(g.name("a"), g.name("column"));
    }
    g.close();
    g.remark("Nobody may overwrite the tile while others read it.");
    g.line(sync);
    g.close();
    w.store(row, "");
    g.endGuard();
}

void writeCached(Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.clampFirst = true;
    writeStaged(g, shape, g.parameter("stage"), false);
}

void writeMerged(Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.chunks = g.parameter("merge");
    shape.clampFirst = true;
    writeStaged(g, shape, 1, false);
}

void writeSwizzled(Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.vec = g.parameter("vec");
    shape.clampFirst = true;
    writeStaged(g, shape, g.parameter("stage"), true);
}

} // namespace

std::vector<FamilyEntry> spmmStagedFamilies()
{
    const FamilyParameter block = {"block", "threads per block", {128, 64, 256, 512}};
    const FamilyParameter unroll = {"unroll", "entries per step of the inner loop", {4, 1, 2, 8}};
    return {
        {{"M2",
          "Coalesced row caching",
          "Lanes load a tile of their row's entries into shared memory together, then each walks it for one "
          "column; good for 32 columns and rows of 8 entries and more.",
          {block,
           {"across", "lanes and columns per row", {32, 8, 16}},
           {"stage", "entries per lane in a tile", {1, 2, 4}},
           unroll},
          {}},
         writeCached},
        {{"M3",
          "Coalesced row caching, merged columns",
          "As M2, with several columns per lane, so that an entry of A is used several times; good for wide "
          "B.",
          {block, {"across", "lanes per row", {32, 4, 8, 16}}, {"merge", "columns per lane", {2, 4}}, unroll},
          {}},
         writeMerged},
        {{"M5",
          "One-dimensional tiles with row swizzle",
          "Rows sorted by length, tiles of A in shared memory, vector loads of B; good for pruned weights "
          "of neural networks.",
          {block,
           {"across", "lanes per row", {8, 2, 4, 16, 32}},
           {"vec", "columns per load", {4, 1, 2}},
           {"stage", "entries per lane in a tile", {4, 1, 2, 8}},
           unroll},
          {"order"}},
         writeSwizzled},
    };
}

} // namespace sparserl
