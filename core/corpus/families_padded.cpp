// SPDX-License-Identifier: Apache-2.0
#include "corpus/family_table.h"
#include "corpus/grammar.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

const FamilyParameter blockParameter = {"block", "threads per block", {128, 64, 256, 512}};

/// Entry k of row r stands at k * rows + r: a walk from r in steps of `rows`.
void writeEll(Grammar& g)
{
    const std::int64_t lanes = g.parameter("lanes");
    const std::string block = g.constant("BLOCK", g.parameter("block"));
    const std::string& row = g.name("row");
    const std::string& rows = g.name("rows");
    const std::string& lane = g.name("lane");
    g.format("ell");
    g.argument("int", "rows", "rows");
    g.argument("int", "width", "ell.width");
    g.matrixArguments("ell");
    const std::string end = fmt::format("{} * {}", g.name("width"), rows);
    if (lanes == 1) {
        g.entry(fmt::format("ceil_div(rows, {})", block), block,
                {"ELL: one thread per row, stored by columns.", "All rows are padded to the same length.",
                 "Neighbouring threads read neighbouring words."});
        g.line(fmt::format("int {} = blockIdx.x * blockDim.x + threadIdx.x;", row));
        g.guard(row, rows);
        g.remark("The next entry of the row is one column further.");
        g.dotLoop({row, end, rows, g.parameter("unroll"), 1});
        g.line(fmt::format("y[{}] = {};", row, g.name("sum")));
        g.endGuard();
        return;
    }
    // Lanes of one row stand 32 / T apart, so that neighbouring lanes read neighbouring rows.
    const std::string t = g.constant("T", lanes);
    const auto known = [&](std::int64_t number, const std::string& text) {
        return g.style().literalParameters ? std::to_string(number) : text;
    };
    const std::string apart = known(32 / lanes, fmt::format("(32 / {})", t));
    const std::string perBlock = known(g.parameter("block") / lanes, fmt::format("({} / {})", block, t));
    g.entry(fmt::format("ceil_div(rows, {} / {})", block, t), block,
            {fmt::format("ELL: {} lanes per row.", lanes), "Several lanes share a padded row.",
             "Each lane takes every T-th entry of its row."});
    g.line(fmt::format("int {} = {} / {};", lane, g.remainder("threadIdx.x", "32", 32), apart));
    g.line(fmt::format("int {} = blockIdx.x * {} + {} * {} + threadIdx.x % {};", row, perBlock,
                       g.quotient("threadIdx.x", "32", 32), apart, apart));
    g.line(fmt::format("float {} = 0;", g.name("sum")));
    g.open(fmt::format("if ({} < {})", row, rows));
    g.unroll(g.parameter("unroll"));
    const std::string& i = g.name("i");
    g.line(fmt::format("for (int {0} = {1} + {2} * {3}; {0} < {4}; {0} += {5} * {3})", i, row, lane, rows,
                       end, t));
    g.line("    " + g.term(g.name("sum"), fmt::format("{}[{}]", g.name("val"), i),
                           g.loadX(fmt::format("{}[{}]", g.name("col"), i))));
    g.close();
    g.reduceLanes("16", apart);
    g.line(fmt::format("if ({0} == 0 && {1} < {2}) y[{1}] = {3};", lane, row, rows, g.name("sum")));
}

void writeSell(Grammar& g)
{
    const std::int64_t slice = g.parameter("slice");
    const std::string block = g.constant("BLOCK", g.parameter("block"));
    const std::string c = std::to_string(slice);
    g.format(fmt::format("sell(slice={}, sigma={})", slice, g.parameter("sigma")));
    g.argument("int", "slices", "sell.slices");
    g.argument("const int*", "slice_ptr", "sell.slice_ptr");
    g.argument("const int*", "row_ids", "sell.row_ids");
    g.matrixArguments("sell");
    g.entry(fmt::format("ceil_div(sell.slices * {}, {})", c, block), block,
            {fmt::format("SELL-{}-sigma: one thread per row.", slice), "Rows of a slice have similar length.",
             "Sorted rows in slices, stored by columns."});
    const std::string& thread = g.name("thread");
    const std::string& s = g.name("slice");
    const std::string& pointer = g.name("slice_ptr");
    const std::string& row = g.name("row");
    g.line(fmt::format("int {} = blockIdx.x * blockDim.x + threadIdx.x;", thread));
    g.line(fmt::format("int {} = {};", s, g.quotient(thread, c, slice)));
    g.guard(s, g.name("slices"));
    g.remark("A slice is as wide as its longest row.");
    g.dotLoop({fmt::format("{}[{}] + {}", pointer, s, g.remainder(thread, c, slice)),
               fmt::format("{}[{} + 1]", pointer, s), c, g.parameter("unroll"), g.parameter("accumulators")});
    g.line(fmt::format("int {} = {}[{}];", row, g.name("row_ids"), thread));
    g.remark("Lanes that only pad have row -1.");
    g.line(fmt::format("if ({0} >= 0) y[{0}] = {1};", row, g.name("sum")));
    g.endGuard();
}

void writeDia(Grammar& g)
{
    const std::string block = g.constant("BLOCK", g.parameter("block"));
    g.format("dia");
    g.argument("int", "rows", "rows");
    g.argument("int", "cols", "cols");
    g.argument("int", "diagonals", "dia.diagonals");
    g.argument("const int*", "diagonal_offset", "dia.offset");
    g.argument("const float*", "val", "dia.val");
    g.vectorArguments();
    g.entry(fmt::format("ceil_div(rows, {})", block), block,
            {"DIA: one thread per row, one step per diagonal.", "Columns follow from the diagonal's offset.",
             "No column indices are read."});
    const std::string& row = g.name("row");
    const std::string& sum = g.name("sum");
    const std::string& d = g.name("d");
    const std::string& c = g.name("column");
    g.line(fmt::format("int {} = blockIdx.x * blockDim.x + threadIdx.x;", row));
    g.guard(row, g.name("rows"));
    g.line(fmt::format("float {} = 0;", sum));
    g.unroll(g.parameter("unroll"));
    g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", d, g.name("diagonals")));
    g.line(fmt::format("int {} = {} + {}[{}];", c, row, g.name("diagonal_offset"), d));
    g.remark("Diagonals leave the matrix at its edges.");
    g.line(fmt::format(
        "if ({0} >= 0 && {0} < {1}) {2}", c, g.name("cols"),
        g.term(sum, fmt::format("{}[{} * {} + {}]", g.name("val"), d, g.name("rows"), row), g.loadX(c))));
    g.close();
    g.line(fmt::format("y[{}] = {};", row, sum));
    g.endGuard();
}

} // namespace

std::vector<FamilyEntry> paddedFamilies()
{
    const FamilyParameter unroll = {"unroll", "steps of the inner loop per branch", {1, 2, 4, 8}};
    return {
        {{"S10",
          "ELL",
          "Rows padded to one length and stored by columns; good where all rows are nearly equally long.",
          {blockParameter, {"lanes", "threads per row", {1, 2, 4}}, unroll},
          {"ell"}},
         writeEll},
        {{"S11",
          "SELL-C-sigma",
          "Rows sorted by length within windows of sigma, padded per slice of C; good for moderate "
          "differences.",
          {blockParameter,
           {"slice", "rows per slice", {32, 8, 16, 64}},
           {"sigma", "rows per sorting window", {256, 64, 1024, 4096}},
           {"unroll", "steps of the inner loop per branch; 0: left to the compiler", {0, 2, 4}},
           {"accumulators", "independent sums per thread", {1, 2}}},
          {"sell"}},
         writeSell},
        {{"S13",
          "DIA",
          "Stored by diagonals, without column indices; good for matrices of few, well filled diagonals.",
          {blockParameter, unroll},
          {"dia"}},
         writeDia},
    };
}

} // namespace sparserl
