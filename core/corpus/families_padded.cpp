// SPDX-License-Identifier: Apache-2.0
#include "corpus/family_table.h"
#include "corpus/grammar.h"
#include "corpus/kernel_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

const FamilyParameter blockParameter = {"block", "threads per block", {128, 64, 256, 512}};
const FamilyParameter batchParameter = {
    "batch", "entries whose loads are in flight together, predicated; 1: a plain loop", {1, 2, 4, 8}};
const FamilyParameter streamParameter = {"stream", "1: matrix data is read as used once (ld.cs)", {0, 1}};

/// Entries begin, begin + step, ... of col and val below end, in the variable `sum` that this declares.
void sumBatches(Grammar& g, const std::string& begin, const std::string& end, const std::string& step,
                const std::string& base = {})
{
    KernelText text(g);
    text.stream(g.parameter("stream") != 0).write("float $sum = 0;");
    writeRowSum(g, text,
                {begin, end, step, g.parameter("batch"), g.name(base.empty() ? "col" : "off"), g.name("val"),
                 base, g.name("sum"), g.parameter("predicate") != 0});
}

bool plain(const Grammar& g)
{
    return g.parameter("batch") == 1 && g.parameter("stream") == 0 && g.parameter("predicate") == 0;
}

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
        if (plain(g))
            g.dotLoop({row, end, rows, g.parameter("unroll"), 1});
        else
            sumBatches(g, row, end, rows);
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
    if (!plain(g)) {
        KernelText text(g);
        writeRowSum(g, text.stream(g.parameter("stream") != 0),
                    {fmt::format("{} + {} * {}", row, lane, rows),
                     end,
                     fmt::format("{} * {}", t, rows),
                     g.parameter("batch"),
                     g.name("col"),
                     g.name("val"),
                     {},
                     g.name("sum"),
                     g.parameter("predicate") != 0});
    } else {
        g.unroll(g.parameter("unroll"));
        const std::string& i = g.name("i");
        g.line(fmt::format("for (int {0} = {1} + {2} * {3}; {0} < {4}; {0} += {5} * {3})", i, row, lane, rows,
                           end, t));
        g.line("    " + g.term(g.name("sum"), fmt::format("{}[{}]", g.name("val"), i),
                               g.loadX(fmt::format("{}[{}]", g.name("col"), i))));
    }
    g.close();
    g.reduceLanes("16", apart);
    g.line(fmt::format("if ({0} == 0 && {1} < {2}) y[{1}] = {3};", lane, row, rows, g.name("sum")));
}

/// `lanes` threads share each row of a slice, and each of them takes `vector` neighbouring rows. Lanes of one
/// warp stand across neighbouring rows first, so that they read neighbouring words.
void writeSellLanes(Grammar& g)
{
    const bool narrow = g.parameter("index16") != 0;
    const std::int64_t slice = g.parameter("slice");
    const std::int64_t vector = g.parameter("vector");
    const std::int64_t lanes = g.parameter("lanes");
    const std::int64_t across = std::min(slice / vector, 32 / lanes);
    const std::string kind = narrow ? "sell16" : "sell";
    KernelText text(g);
    text.stream(g.parameter("stream") != 0).constant("BLOCK", g.parameter("block"));
    text.set("C", slice).set("L", lanes).set("V", vector).set("ACROSS", across).set("GROUP", across * lanes);
    text.set("GROUPS", slice / vector / across).set("STEP", slice * lanes).set("N", g.parameter("batch"));
    text.set("COL", g.name(narrow ? "off" : "col"));
    g.format(fmt::format("{}(slice={}, sigma={})", kind, slice, g.parameter("sigma")));
    g.argument("int", "slices", kind + ".slices");
    g.argument("const int*", "slice_ptr", kind + ".slice_ptr");
    g.argument("const int*", "row_ids", kind + ".row_ids");
    if (narrow) {
        g.argument("const int*", "base", kind + ".base");
        g.argument("const unsigned short*", "off", kind + ".off");
        g.argument("const float*", "val", kind + ".val");
        g.vectorArguments();
    } else {
        g.matrixArguments(kind);
    }
    g.entry(text.expand(fmt::format("ceil_div({}.slices * {}, @BLOCK)", kind, slice * lanes / vector)),
            text.expand("@BLOCK"),
            {fmt::format("SELL-{}-sigma: {} lanes per row.", slice, lanes),
             "Lanes share the rows of a slice.", "Sorted rows in slices, stored by columns."});
    text.write("int $thread = blockIdx.x * blockDim.x + threadIdx.x;");
    text.write(slice / vector == across ? "int $slice = $div[$thread;GROUP];"
                                        : "int $slice = $thread / (@GROUP * @GROUPS);");
    text.write(across == 1  ? "int $lane = $mod[$thread;GROUP];"
               : lanes == 1 ? "int $lane = 0;"
                            : "int $lane = $thread % @GROUP / @ACROSS;");
    text.write(slice / vector == across
                   ? "int $first = $thread % @ACROSS * @V;"
                   : "int $first = ($thread / @GROUP % @GROUPS * @ACROSS + $thread % @ACROSS) * @V;");
    text.write(vector == 1 ? "float $sum = 0;" : "float $sum[@V] = {};");
    if (vector == 1)
        text.write("int $row = -1;");
    text.write("if ($slice < $slices) {");
    // Volatile, so that the load starts here and not behind the sum.
    if (vector == 1)
        text.write("$row = reinterpret_cast<const volatile int*>($row_ids)[$slice * @C + $first];");
    if (vector == 1) {
        if (narrow)
            text.write("int $start = $base[$slice * @C + $first];");
        writeRowSum(g, text,
                    {text.expand("$slice_ptr[$slice] + $first + $lane * @C"),
                     text.expand("$slice_ptr[$slice + 1]"), std::to_string(slice * lanes),
                     g.parameter("batch"), g.name(narrow ? "off" : "col"), g.name("val"),
                     narrow ? g.name("start") : std::string(), g.name("sum"), g.parameter("predicate") != 0});
    } else {
        const char* parts[] = {"x", "y", "z", "w"};
        text.set("MANY", fmt::format("{}{}", narrow ? "ushort" : "int", vector));
        text.set("FLOATS", fmt::format("float{}", vector));
        for (std::int64_t k = 0; narrow && k < vector; ++k)
            text.set("K", k).write("int $start@K = $base[$slice * @C + $first + @K];");
        text.write(R"(
            int $end = $slice_ptr[$slice + 1];
            for (int $i = $slice_ptr[$slice] + $first + $lane * @C; $i < $end; $i += @N * @STEP) {
            $unroll[@N]
            for (int $u = 0; $u < @N; $u++) {
            int $k = $i + $u * @STEP < $end ? $i + $u * @STEP : $i;
            @MANY $c = $ld[reinterpret_cast<const @MANY*>(@COL);$k / @V];
            @FLOATS $a = $ld[reinterpret_cast<const @FLOATS*>($val);$k / @V];)");
        for (std::int64_t k = 0; k < vector; ++k) {
            text.set("P", parts[k]).set("K", k);
            text.set("START", narrow ? text.expand("$start@K + ") : std::string());
            text.write("$mad[$sum[@K]; ($i + $u * @STEP < $end ? $a.@P : 0.0f); $x[@START$c.@P]]");
        }
        text.write(R"(
            }
            })");
    }
    text.write("}");
    if (vector == 1 && lanes > 1)
        text.write("$reduce[@GROUP / 2;@ACROSS]");
    for (std::int64_t k = 0; k < vector && vector > 1 && lanes > 1; ++k)
        text.set("K", k).write("for (int $offset = @GROUP / 2; $offset >= @ACROSS; $offset /= 2) $sum[@K] += "
                               "__shfl_down_sync(0xffffffff, $sum[@K], $offset);");
    if (vector == 1) {
        g.remark("Lanes that only pad have row -1.");
        text.write(lanes > 1 ? "if ($lane == 0 && $row >= 0) y[$row] = $sum;"
                             : "if ($row >= 0) y[$row] = $sum;");
        return;
    }
    text.write("$guard[$slice;$slices]");
    if (lanes > 1)
        text.write("if ($lane == 0) {");
    text.write("int $out = $slice * @C + $first;");
    g.remark("Lanes that only pad have row -1.");
    for (std::int64_t k = 0; k < vector; ++k) {
        text.set("K", k).write("if ($row_ids[$out + @K] >= 0) y[$row_ids[$out + @K]] = $sum[@K];");
    }
    if (lanes > 1)
        text.write("}");
    g.endGuard();
}

void writeSell(Grammar& g)
{
    if (!plain(g) || g.parameter("lanes") > 1 || g.parameter("vector") > 1 || g.parameter("index16") != 0) {
        writeSellLanes(g);
        return;
    }
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

/// Several rows a thread, a block apart; with `clamp` no branch stands between the loads: a slot outside the
/// matrix holds 0, so any entry of x will do.
void writeDiaRows(Grammar& g, const std::string& block)
{
    const std::int64_t many = g.parameter("rows");
    KernelText text(g);
    text.set("BLOCK", block).set("MANY", many);
    g.entry(many == 1 ? fmt::format("ceil_div(rows, {})", block)
                      : fmt::format("ceil_div(rows, {} * {})", block, many),
            block,
            {fmt::format("DIA: {} rows per thread.", many), "Columns follow from the diagonal's offset.",
             "No column indices are read."});
    const bool clamp = g.parameter("clamp") != 0;
    text.set("N", g.parameter("unroll"));
    // With clamps all loads of N diagonals are in flight together, the last of them repeated where N does not
    // divide their number.
    const auto diagonals = [&](const std::string& sum, const std::string& row) {
        text.set("SUM", sum).set("ROW", row).set("D", g.name(clamp ? "k" : "d"));
        if (clamp) {
            text.write(R"(
                for (int $d = 0; $d < $diagonals; $d += @N) {
                $unroll[@N]
                for (int $p = 0; $p < @N; $p++) {
                int $k = min($d + $p, $diagonals - 1);)");
        } else {
            text.write(R"(
                $unroll[@N]
                for (int $d = 0; $d < $diagonals; $d++) {)");
        }
        if (many > 1)
            text.write(R"(
                $unroll[@MANY]
                for (int $u = 0; $u < @MANY; $u++) {
                int $row = min($first + $u * @BLOCK, $rows - 1);)");
        text.write("int $column = @ROW + $diagonal_offset[@D];");
        if (clamp)
            text.write(R"(
                float $a = $d + $p < $diagonals ? $val[@D * $rows + @ROW] : 0.0f;
                $mad[@SUM; $a; $x[min(max($column, 0), $cols - 1)]])");
        else
            text.write(
                "if ($column >= 0 && $column < $cols) $mad[@SUM; $val[@D * $rows + @ROW]; $x[$column]]");
        text.write("}");
        if (clamp)
            text.write("}");
        if (many > 1)
            text.write("}");
    };
    if (many == 1) {
        text.write(R"(
            int $row = blockIdx.x * blockDim.x + threadIdx.x;
            $guard[$row;$rows]
            float $sum = 0;)");
        diagonals(g.name("sum"), g.name("row"));
        text.write(R"(
            y[$row] = $sum;
            $endguard)");
        return;
    }
    text.write(R"(
        int $first = blockIdx.x * (@BLOCK * @MANY) + threadIdx.x;
        float $sum[@MANY] = {};)");
    diagonals(text.expand("$sum[$u]"), g.name("row"));
    text.write(R"(
        $unroll[@MANY]
        for (int $u = 0; $u < @MANY; $u++) {
        if ($first + $u * @BLOCK < $rows) y[$first + $u * @BLOCK] = $sum[$u];
        })");
}

void writeDia(Grammar& g)
{
    const bool clamp = g.parameter("clamp") != 0;
    const std::int64_t many = g.parameter("rows");
    const std::string block = g.constant("BLOCK", g.parameter("block"));
    g.format("dia");
    g.argument("int", "rows", "rows");
    g.argument("int", "cols", "cols");
    g.argument("int", "diagonals", "dia.diagonals");
    g.argument("const int*", "diagonal_offset", "dia.offset");
    g.argument("const float*", "val", "dia.val");
    g.vectorArguments();
    if (clamp || many > 1) {
        writeDiaRows(g, block);
        return;
    }
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
    return {
        {{"S10",
          "ELL",
          "Rows padded to one length and stored by columns; good where all rows are nearly equally long.",
          {blockParameter,
           {"lanes", "threads per row", {1, 2, 4, 8}},
           {"unroll", "steps of the plain inner loop per branch", {1, 2, 4, 8}},
           batchParameter,
           predicateParameter(),
           streamParameter},
          {"ell"}},
         writeEll},
        {{"S11",
          "SELL-C-sigma",
          "Rows sorted by length within windows of sigma, padded per slice of C; good for moderate "
          "differences.",
          {blockParameter,
           {"slice", "rows per slice", {32, 4, 8, 16, 64}},
           {"sigma", "rows per sorting window", {256, 1, 64, 1024, 4096, 65536}},
           {"unroll", "steps of the plain inner loop per branch; 0: left to the compiler", {0, 2, 4}},
           {"accumulators", "independent sums per thread, in the plain loop", {1, 2}},
           batchParameter,
           predicateParameter(),
           {"lanes", "threads per row, as far as a warp holds them", {1, 2, 4, 8}},
           {"vector", "neighbouring rows per thread and load", {1, 2, 4}},
           {"index16", "1: columns as 16-bit offsets from the row's first one (format sell16)", {0, 1}},
           streamParameter},
          {"sell", "sell16"}},
         writeSell},
        {{"S13",
          "DIA",
          "Stored by diagonals, without column indices; good for matrices of few, well filled diagonals.",
          {blockParameter,
           {"unroll", "diagonals per branch", {1, 2, 4, 8, 16}},
           {"clamp", "1: columns are clamped to the matrix instead of skipped", {0, 1}},
           {"rows", "rows per thread", {1, 2, 4}}},
          {"dia"}},
         writeDia},
    };
}

} // namespace sparserl
