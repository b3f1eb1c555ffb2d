// SPDX-License-Identifier: Apache-2.0
// S11: sorted rows in slices, padded per slice.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv/reasons.h"
#include "corpus/spmv_work.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl::spmv {

namespace {

bool plain(const Grammar& g)
{
    return g.parameter("batch") == 1 && g.parameter("stream") == 0 && g.parameter("predicate") == 0;
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

std::optional<SpmvWork> workSell(const SpmvMatrix& m, const FamilyParameters& p)
{
    SpmvWork w;
    const double slice = valueOf(p, "slice");
    const double sigma = valueOf(p, "sigma");
    const double lanes = valueOf(p, "lanes");
    const double vector = valueOf(p, "vector");
    const double batch = valueOf(p, "batch");
    const bool narrow = isOn(p, "index16");
    // Longest of a slice over the mean, before and after sorting.
    const double spread = m.features.rowCv * std::sqrt(2 * std::log(std::max(slice, 2.0)));
    const double sorted = sigma <= slice ? 1 : slice / sigma;
    double pad = 1 + std::min(spread, m.longest / m.mean) * std::min(1.0, sorted * 1.5 + 0.02);
    const double windows = std::max(1.0, m.rows / std::max(sigma, slice));
    pad =
        std::max(pad, 1 + std::min(windows, m.rows / slice) * 0.3 * slice * m.longest / std::max(m.nnz, 1.0) *
                              (m.features.rowCv > 1 ? 1 : 0) / std::max(1.0, windows / 4));
    w.bytes = m.nnz * pad * m.entryWith(narrow) + m.rows * (narrow ? 12 : 8);
    if (!m.storable(w.bytes))
        return std::nullopt;
    w.block = valueOf(p, "block");
    w.threads = m.rows * lanes / vector;
    const double ends = 1 + (lanes > 1 ? m.shuffles(std::log2(lanes) * vector) : 0) + 0.9;
    FamilyParameters loop = p;
    loop["vector"] = 1;
    w.chain = ends + 2 * m.rounds(m.longest, lanes, loop);
    w.typical = ends + 2 * m.rounds(m.mean * pad, lanes, loop);
    w.instructions = w.threads * (30 + 4 * vector) + m.nnz * pad * (vector > 1 ? 6 : 9);
    w.inFlight = (batch > 1 ? batch : 2) * vector * m.entryWith(narrow);
    w.reads = m.gathers(m.rows, m.mean * pad, lanes, loop) / std::max(m.nnz, 1.0);
    w.extra = sorted < 1 && sigma > 1024 ? 0.1 * m.nnz * m.gather / 1e6 : 0; // Sorting spoils locality.
    return w;
}

int recogniseSell(const ProgramShape& program)
{
    return program.names({"sell"}) ? 110 : program.names({"sell16"}) ? 109 : 0;
}

} // namespace

KernelFamily sell()
{
    return {.family =
                {"S11",
                 "SELL-C-sigma",
                 "Rows sorted by length within windows of sigma, padded per slice of C; good for moderate "
                 "differences.",
                 {blockParameter(),
                  {"slice", "rows per slice", {32, 4, 8, 16, 64}},
                  {"sigma", "rows per sorting window", {256, 1, 64, 1024, 4096, 65536}},
                  {"unroll", "steps of the plain inner loop per branch; 0: left to the compiler", {0, 2, 4}},
                  {"accumulators", "independent sums per thread, in the plain loop", {1, 2}},
                  batchParameter(),
                  predicateParameter(),
                  {"lanes", "threads per row, as far as a warp holds them", {1, 2, 4, 8}},
                  {"vector", "neighbouring rows per thread and load", {1, 2, 4}},
                  narrowParameter("sell16"),
                  streamParameter()},
                 {"sell", "sell16"}},
            .write = writeSell,
            .recognise = recogniseSell,
            .rules = SpmvRules{.grids = {{{"block", {128, 64, 256}},
                                          {"slice", {32, 4, 8}},
                                          {"sigma", {1, 256, 4096, 65536}},
                                          {"lanes", {1, 2, 4, 8}},
                                          {"vector", {1, 2, 4}},
                                          {"batch", {1, 2, 4, 8}},
                                          {"index16", {0, 1}}}},
                               .work = workSell,
                               .reason = reasonOfPadding,
                               .fits = {{.weights = {1.14, 0.546, 0.983, 0.714, 0.163, 0.396, 0.425, 0.0223,
                                                     0.572, 0.941, 0.136, 0.434, 1.17, 0, 0.0797},
                                         .tail = 0.0657,
                                         .factors = {{"batch", 1, 0.855},
                                                     {"batch", 8, 1.15},
                                                     {"lanes", 1, 0.926},
                                                     {"lanes", 2, 0.968},
                                                     {"lanes", 4, 0.963},
                                                     {"lanes", 8, 1.16},
                                                     {"slice", 8, 0.967},
                                                     {"slice", 64, 1.05},
                                                     {"stream", 0, 0.938},
                                                     {"stream", 1, 1.07},
                                                     {"unroll", 0, 1.04}}}}}};
}

} // namespace sparserl::spmv
