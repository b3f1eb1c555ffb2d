// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmv/csr_rows.h"

#include "corpus/kernel_text.h"

#include <fmt/format.h>

namespace sparserl::spmv {

namespace {

bool narrow(const Grammar& g)
{
    return g.parameter("index16") != 0;
}

} // namespace

void csrArguments(Grammar& g, bool rows)
{
    if (rows)
        g.argument("int", "rows", "rows");
    if (!narrow(g)) {
        g.argument("const int*", "row_ptr", "csr.row_ptr");
        g.matrixArguments("csr");
        return;
    }
    g.format("csr16");
    g.argument("const int*", "row_ptr", "csr16.row_ptr");
    g.argument("const int*", "base", "csr16.base");
    g.argument("const unsigned short*", "off", "csr16.off");
    g.argument("const float*", "val", "csr16.val");
    g.vectorArguments();
}

void sumOfRow(Grammar& g, const Grammar::Loop& loop)
{
    const bool stream = g.parameter("stream") != 0;
    const bool predicated = g.parameter("predicate") != 0;
    if (g.parameter("batch") == 1 && !narrow(g) && !stream && !predicated) {
        g.dotLoop(loop);
        return;
    }
    KernelText text(g);
    text.stream(stream).write("float $sum = 0;");
    if (narrow(g))
        text.write("int $start = $base[$row];");
    writeRowSum(g, text,
                {loop.begin, loop.end, loop.step, g.parameter("batch"), g.name(narrow(g) ? "off" : "col"),
                 g.name("val"), narrow(g) ? g.name("start") : std::string(), g.name("sum"), predicated});
}

void sumByVectors(Grammar& g, const std::string& lane, const std::string& step)
{
    KernelText text(g);
    text.stream(g.parameter("stream") != 0).set("COL", g.name(narrow(g) ? "off" : "col"));
    text.set("AHEAD", lane.empty() ? "" : " + " + lane + " * 4")
        .set("STEP", step.empty() ? "4" : step + " * 4");
    text.set("FOUR", narrow(g) ? "ushort4" : "int4").set("BASE", narrow(g) ? g.name("start") + " + " : "");
    text.write(R"(
        float $sum = 0;
        int $first = $row_ptr[$row], $end = $row_ptr[$row + 1];)");
    if (narrow(g))
        text.write("int $start = $base[$row];");
    text.write(R"(
        // Vectors start at multiples of four entries.
        for (int $i = $first / 4 * 4@AHEAD; $i < $end; $i += @STEP) {
        @FOUR $c;
        float4 $a;
        if ($i + 4 <= $nnz) {
        $c = $ld[reinterpret_cast<const @FOUR*>(@COL);$i / 4];
        $a = $ld[reinterpret_cast<const float4*>($val);$i / 4];
        }
        else {
        $c.x = @COL[$i];
        $c.y = @COL[min($i + 1, $nnz - 1)];
        $c.z = @COL[min($i + 2, $nnz - 1)];
        $c.w = @COL[min($i + 3, $nnz - 1)];
        $a.x = $val[$i];
        $a.y = $val[min($i + 1, $nnz - 1)];
        $a.z = $val[min($i + 2, $nnz - 1)];
        $a.w = $val[min($i + 3, $nnz - 1)];
        }
        if ($i < $first) { $a.x = 0; $c.x = 0; }
        if ($i + 1 < $first || $i + 1 >= $end) { $a.y = 0; $c.y = 0; }
        if ($i + 2 < $first || $i + 2 >= $end) { $a.z = 0; $c.z = 0; }
        if ($i + 3 < $first || $i + 3 >= $end) { $a.w = 0; $c.w = 0; }
        $mad[$sum;$a.x;$x[@BASE$c.x]]
        $mad[$sum;$a.y;$x[@BASE$c.y]]
        $mad[$sum;$a.z;$x[@BASE$c.z]]
        $mad[$sum;$a.w;$x[@BASE$c.w]]
        })");
}

std::string rowBegin(Grammar& g)
{
    return fmt::format("{}[{}]", g.name("row_ptr"), g.name("row"));
}

std::string rowEnd(Grammar& g)
{
    return fmt::format("{}[{} + 1]", g.name("row_ptr"), g.name("row"));
}

void writeVector(Grammar& g)
{
    const std::int64_t lanes = g.parameter("lanes");
    const std::string block = g.constant("BLOCK", g.parameter("block"));
    const std::string t = lanes == 32 ? "32" : g.constant("T", lanes);
    csrArguments(g, true);
    const bool vectors = g.parameter("vector") == 4;
    if (vectors)
        g.argument("int", "nnz", "nnz");
    g.entry(fmt::format("ceil_div(rows, {} / {})", block, t), block,
            lanes == 32 ? std::vector<std::string>{"CSR-vector: one warp per row.", "A warp sums each row.",
                                                   "Warp per row with a shuffle tree."}
                        : std::vector<std::string>{fmt::format("CSR-vector: {} lanes share a row.", lanes),
                                                   "A part of a warp sums each row.",
                                                   "Several rows per warp for rows of medium length."});
    const std::string perBlock = g.style().literalParameters ? std::to_string(g.parameter("block") / lanes)
                                                             : fmt::format("({} / {})", block, t);
    g.line(fmt::format("int {} = blockIdx.x * {} + {};", g.name("row"), perBlock,
                       g.quotient("threadIdx.x", t, lanes)));
    g.line(fmt::format("int {} = {};", g.name("lane"), g.remainder("threadIdx.x", t, lanes)));
    // Lanes of one row leave together, so shuffles inside a row never miss a partner.
    g.guard(g.name("row"), g.name("rows"));
    if (g.style().guardBlock && lanes < 32 && g.style().butterfly)
        g.remark("Rows at the end leave whole groups of lanes idle.");
    g.remark("Neighbouring lanes read neighbouring entries.");
    if (vectors)
        sumByVectors(g, g.name("lane"), t);
    else
        sumOfRow(g, {fmt::format("{} + {}", rowBegin(g), g.name("lane")), rowEnd(g), t, 0,
                     g.parameter("accumulators")});
    g.remark("Add up the lanes of the row.");
    const std::string first =
        lanes == 32 || g.style().literalParameters ? std::to_string(lanes / 2) : t + " / 2";
    g.reduceLanes(first, "1", lanes == 32 ? "" : t);
    g.line(fmt::format("if ({} == 0) y[{}] = {};", g.name("lane"), g.name("row"), g.name("sum")));
    g.endGuard();
}

const FamilyParameter& vectorParameter()
{
    static const FamilyParameter parameter = {"vector", "entries per load: 4 instead of the batch", {1, 4}};
    return parameter;
}

} // namespace sparserl::spmv
