// SPDX-License-Identifier: Apache-2.0
// SpMM on formats that store zeros too: M8 (dense blocks), M17 (diagonals), M18 (everything).
#include "corpus/family_table.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr const char* components[] = {".x", ".y", ".z", ".w"};

void declareArray(Grammar& g, const SpmmWriter& w, const std::string& size)
{
    const std::string& r = g.name("r");
    g.line(fmt::format("{} {}[{}];", w.type(), g.name("sum"), size));
    g.line("#pragma unroll");
    g.line(
        fmt::format("for (int {0} = 0; {0} < {1}; {0}++) {2}[{0}] = {3};", r, size, g.name("sum"), w.zero()));
}

void overRows(Grammar& g, const std::string& size)
{
    g.line("#pragma unroll");
    g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", g.name("r"), size));
}

std::string rowOfB(Grammar& g, const SpmmWriter& w, const std::string& index)
{
    return w.loadB(fmt::format("min({}, {} - 1)", index, g.name("cols")));
}

/// M8: a group of lanes per row of blocks; each lane holds `size` rows of C for its columns, so that a row of
/// B that was read once is used for all of them.
void writeBsr(Grammar& g)
{
    const std::int64_t size = g.parameter("size");
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.ways = std::max<std::int64_t>(1, g.parameter("lanes") / shape.across);
    shape.vec = g.parameter("vec");
    SpmmWriter w(g, shape);
    const std::string b = g.constant("K", size);
    g.format(fmt::format("bsr(block={})", size));
    g.argument("int", "rows", "rows");
    g.argument("int", "cols", "cols");
    g.argument("int", "block_rows", "bsr.block_rows");
    g.argument("const int*", "row_ptr", "bsr.row_ptr");
    g.matrixArguments("bsr");
    w.entry(w.grid("bsr.block_rows"),
            {fmt::format("Dense blocks of {0} x {0}.", size),
             "Each row of B is read once for a row of blocks.", "One column index for a whole block."});
    const std::string& row = g.name("row");
    const std::string& lane = g.name("lane");
    const std::string& i = g.name("i");
    const std::string& end = g.name("end");
    const std::string& c = g.name("column");
    const std::string& q = g.name("q");
    const std::string& r = g.name("r");
    const std::string& sum = g.name("sum");
    const bool product = shape.ways > 1 && shape.across > 1 && !g.style().literalParameters;
    const std::string by = product ? "(" + w.group() + ")" : w.group();
    const bool alone = w.groupSize() == 1;
    g.line(fmt::format("int {} = {};", lane, alone ? "0" : g.remainder("threadIdx.x", by, w.groupSize())));
    g.line(fmt::format("int {} = blockIdx.x * ({}) + {};", row, w.perBlock(),
                       alone ? "threadIdx.x" : g.quotient("threadIdx.x", by, w.groupSize())));
    w.declareColumn(shape.ways > 1 && shape.across > 1 ? g.remainder(lane, w.across(), shape.across) : lane);
    declareArray(g, w, b);
    g.line(fmt::format("int {} = 0, {} = 0;", i, end));
    g.open(
        fmt::format("if ({} < {} && {} < {})", row, g.name("block_rows"), g.name("j"), g.name("dense_cols")));
    std::string way;
    if (shape.ways > 1)
        way = " + " + (shape.across == 1 ? lane : g.quotient(lane, w.across(), shape.across));
    g.line(fmt::format("{} = {}[{}]{};", i, g.name("row_ptr"), row, way));
    g.line(fmt::format("{} = {}[{} + 1];", end, g.name("row_ptr"), row));
    g.close();
    if (g.parameter("unroll") > 1)
        g.unroll(g.parameter("unroll"));
    g.open(fmt::format("for (; {0} < {1}; {2})", i, end,
                       shape.ways == 1 ? i + "++" : fmt::format("{} += {}", i, w.ways())));
    g.line(fmt::format("int {} = {}[{}] * {};", c, g.name("col"), i, b));
    const std::string& v = g.name("a");
    const auto addTo = [&](const std::string& target, const std::string& factor, const std::string& from) {
        w.everyComponent(
            [&](const std::string& part) { g.line(g.term(target + part, factor, from + part)); });
    };
    const auto part = [&](std::int64_t k) { return fmt::format("{}{}", g.name("b"), k); };
    if (size == 2) {
        // A block is one aligned vector of four values.
        g.line(fmt::format("float4 {} = ((const float4*){})[{}];", v, g.name("val"), i));
        g.line(fmt::format("{} {} = {};", w.type(), part(0), rowOfB(g, w, c)));
        g.line(fmt::format("{} {} = {};", w.type(), part(1), rowOfB(g, w, c + " + 1")));
        for (int k = 0; k < 4; ++k)
            addTo(fmt::format("{}[{}]", sum, k / 2), v + components[k], part(k % 2));
    } else if (size % 4 != 0) {
        const std::string& m = g.name("quad");
        g.line(fmt::format("const float* {} = {} + (size_t){} * ({});", m, g.name("val"), i,
                           w.known(size * size, fmt::format("{0} * {0}", b))));
        g.line("#pragma unroll");
        g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", q, b));
        g.line(fmt::format("{} {} = {};", w.type(), part(0), rowOfB(g, w, fmt::format("{} + {}", c, q))));
        overRows(g, b);
        g.line(fmt::format("float {} = {}[{} * {} + {}];", v, m, r, b, q));
        addTo(fmt::format("{}[{}]", sum, r), v, part(0));
        g.close();
        g.close();
    } else {
        // Four columns of the block at a time: four rows of B, then a vector of each row of the block.
        const std::string quads = size == 4 ? "1" : w.known(size / 4, b + " / 4");
        const std::string& m = g.name("quad");
        g.line(fmt::format("const float4* {} = (const float4*){} + (size_t){} * ({});", m, g.name("val"), i,
                           w.known(size * size / 4, fmt::format("{0} * {0} / 4", b))));
        if (size > 4) {
            g.line("#pragma unroll");
            g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", q, quads));
        }
        for (int k = 0; k < 4; ++k) {
            const std::string at =
                size == 4 ? (k ? fmt::format("{} + {}", c, k) : c) : fmt::format("{} + {} * 4 + {}", c, q, k);
            g.line(fmt::format("{} {} = {};", w.type(), part(k), rowOfB(g, w, at)));
        }
        overRows(g, b);
        g.line(fmt::format("float4 {} = {}[{}];", v, m,
                           size == 4 ? r : fmt::format("{} * ({}) + {}", r, quads, q)));
        for (int k = 0; k < 4; ++k)
            addTo(fmt::format("{}[{}]", sum, r), v + components[k], part(k));
        g.close();
        if (size > 4)
            g.close();
    }
    g.close();
    overRows(g, b);
    w.reduceNamed({fmt::format("{}[{}]", sum, r)});
    const std::string out = fmt::format("{} * {} + {}", row, b, r);
    w.storeNamed(fmt::format("{}[{}]", sum, r), out,
                 (shape.ways > 1 ? fmt::format("{} < {} && ", lane, w.across()) : std::string()) +
                     fmt::format("{} < {} && {} < {}", row, g.name("block_rows"), out, g.name("rows")));
    g.close();
}

/// M17: rows of C follow each other, and so do the rows of B on a diagonal.
void writeDia(Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.vec = g.parameter("vec");
    SpmmWriter w(g, shape);
    g.format("dia");
    g.argument("int", "rows", "rows");
    g.argument("int", "cols", "cols");
    g.argument("int", "diagonals", "dia.diagonals");
    g.argument("const int*", "diagonal_offset", "dia.offset");
    g.argument("const float*", "val", "dia.val");
    g.vectorArguments();
    w.entry(w.grid("rows"), {"DIA: one step per diagonal.", "Columns follow from the diagonal's offset.",
                             "Neighbouring groups read neighbouring rows of B."});
    const std::string& row = g.name("row");
    const std::string& lane = g.name("lane");
    const std::string& d = g.name("d");
    const std::string& c = g.name("column");
    if (shape.across > 1)
        g.line(fmt::format("int {} = {};", lane, g.remainder("threadIdx.x", w.across(), shape.across)));
    g.line(
        fmt::format("int {} = blockIdx.x * ({}) + {};", row, w.perBlock(),
                    shape.across == 1 ? "threadIdx.x" : g.quotient("threadIdx.x", w.across(), shape.across)));
    w.declareColumn(lane);
    g.open(fmt::format("if ({} < {} && {} < {})", row, g.name("rows"), g.name("j"), g.name("dense_cols")));
    w.declareSums();
    if (g.parameter("unroll") > 1)
        g.unroll(g.parameter("unroll"));
    g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", d, g.name("diagonals")));
    g.line(fmt::format("int {} = {} + {}[{}];", c, row, g.name("diagonal_offset"), d));
    g.open(fmt::format("if ({0} >= 0 && {0} < {1})", c, g.name("cols")));
    g.line(fmt::format("float {} = {}[(size_t){} * {} + {}];", g.name("a"), g.name("val"), d, g.name("rows"),
                       row));
    w.addRow(g.name("a"), c);
    g.close();
    g.close();
    w.store(row, w.exists);
    g.close();
}

/// M18: A as a dense matrix; a block shares a few rows and adds up over the inner dimension.
void writeDense(Grammar& g)
{
    const std::int64_t tile = g.parameter("tile");
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.ways = shape.block / shape.across;
    shape.vec = g.parameter("vec");
    SpmmWriter w(g, shape);
    const std::string rowsEach = g.constant("K", tile);
    g.format("dense");
    g.argument("int", "rows", "rows");
    g.argument("int", "cols", "cols");
    g.argument("const float*", "val", "dense.val");
    g.vectorArguments();
    w.entry(fmt::format("dim3(ceil_div(rows, {}), {})", rowsEach, w.columnBlocks()),
            {fmt::format("Dense product: a block shares {} rows.", tile), "Zeros are stored and multiplied.",
             "Every row of B is read once for several rows of C."});
    const std::string& row = g.name("row");
    const std::string& r = g.name("r");
    const std::string& k = g.name("k");
    const std::string& sum = g.name("sum");
    const std::string& partial = g.name("partial");
    const std::string warps = w.known(shape.block / 32, w.block() + " / 32");
    g.line(fmt::format("__shared__ {} {}[{}][{}];", w.type(), partial, rowsEach,
                       shape.across == 1 ? warps
                                         : w.known(shape.block / 32 * shape.across,
                                                   fmt::format("{} * {}", warps, w.across()))));
    g.line(fmt::format("int {} = blockIdx.x * {};", row, rowsEach));
    w.declareColumn(g.remainder("threadIdx.x", w.across(), shape.across));
    declareArray(g, w, rowsEach);
    g.open(fmt::format("if ({} < {})", g.name("j"), g.name("dense_cols")));
    if (g.parameter("unroll") > 1)
        g.unroll(g.parameter("unroll"));
    g.open(
        fmt::format("for (int {0} = {1}; {0} < {2}; {0} += {3})", k,
                    shape.across == 1 ? "threadIdx.x" : g.quotient("threadIdx.x", w.across(), shape.across),
                    g.name("cols"), w.ways()));
    g.line(fmt::format("{} {} = {};", w.type(), g.name("b"), w.loadB(k)));
    overRows(g, rowsEach);
    g.line(fmt::format("float {} = {}[(size_t)min({} + {}, {} - 1) * {} + {}];", g.name("a"), g.name("val"),
                       row, r, g.name("rows"), g.name("cols"), k));
    w.everyComponent([&](const std::string& c) {
        g.line(g.term(fmt::format("{}[{}]{}", sum, r, c), g.name("a"), g.name("b") + c));
    });
    g.close();
    g.close();
    g.close();
    const auto slot = [&](const std::string& warp) {
        return shape.across == 1 ? warp
                                 : fmt::format("{} * {} + {}", warp, w.across(),
                                               g.remainder("threadIdx.x", w.across(), shape.across));
    };
    overRows(g, rowsEach);
    w.reduceNamed({fmt::format("{}[{}]", sum, r)});
    g.line(fmt::format("if ({} < {}) {}[{}][{}] = {}[{}];", g.remainder("threadIdx.x", "32", 32), w.across(),
                       partial, r, slot(g.quotient("threadIdx.x", "32", 32)), sum, r));
    g.close();
    g.line("__syncthreads();");
    g.remark("One thread per vector of C adds up the warps.");
    const std::string& warp = g.name("warp");
    const std::string& total = g.name("total");
    g.open(fmt::format("if (threadIdx.x < {})",
                       w.known(tile * shape.across,
                               shape.across == 1 ? rowsEach : fmt::format("{} * {}", rowsEach, w.across()))));
    g.line(
        fmt::format("int {} = {};", r,
                    shape.across == 1 ? "threadIdx.x" : g.quotient("threadIdx.x", w.across(), shape.across)));
    g.line(fmt::format("{} {} = {};", w.type(), total, w.zero()));
    g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", warp, warps));
    w.everyComponent([&](const std::string& c) {
        g.line(fmt::format("{}{} += {}[{}][{}]{};", total, c, partial, r, slot(warp), c));
    });
    g.close();
    w.storeNamed(total, fmt::format("{} + {}", row, r), fmt::format("{} + {} < {}", row, r, g.name("rows")));
    g.close();
}

} // namespace

std::vector<FamilyEntry> spmmBlockedFamilies()
{
    const FamilyParameter block = {"block", "threads per block", {128, 64, 256, 512}};
    const FamilyParameter across = {"across", "lanes side by side on columns", {2, 1, 4, 8}};
    const FamilyParameter vec = {"vec", "columns per load", {4, 1, 2}};
    return {
        {{"M8",
          "BSR, dense blocks",
          "Dense blocks with one column index each; a row of B that was read is used for a whole row of "
          "blocks; "
          "good where entries come in blocks.",
          {block,
           across,
           vec,
           {"lanes", "lanes per row of blocks; more than across: several blocks at once", {8, 2, 4, 16, 32}},
           {"size", "rows and columns of a block", {4, 2, 3, 6, 8, 16}},
           {"unroll", "blocks per step of a thread", {1, 2, 4}}},
          {"bsr"}},
         writeBsr},
        {{"M17",
          "DIA",
          "Stored by diagonals, without column indices; good for matrices of few, well filled diagonals.",
          {block,
           {"across", "lanes side by side on columns", {2, 1, 4, 8, 16}},
           vec,
           {"unroll", "diagonals per step of a thread", {4, 1, 2, 8}}},
          {"dia"}},
         writeDia},
        {{"M18",
          "Dense",
          "A as a dense matrix, rows of B shared by several rows of C; good where half of A or more is not "
          "zero.",
          {{"block", "threads per block", {128, 64, 256}},
           {"across", "lanes side by side on columns", {2, 4, 8}},
           vec,
           {"tile", "rows per block", {2, 1, 4, 8}},
           {"unroll", "steps of the inner loop per branch", {2, 1, 4, 8}}},
          {"dense"}},
         writeDense},
    };
}

} // namespace sparserl
