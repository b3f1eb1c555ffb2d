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
const FamilyParameter narrowParameter = {
    "index16", "1: columns as 16-bit offsets from the row's first one (format csr16)", {0, 1}};
const FamilyParameter streamParameter = {"stream", "1: matrix data is read as used once (ld.cs)", {0, 1}};

bool narrow(const Grammar& g)
{
    return g.parameter("index16") != 0;
}

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

/// The sum over entries begin, begin + step, ... of the row, in the variable `sum` that this declares.
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

/// The same with four neighbouring entries a load of each lane: from the last multiple of four before the row
/// on, so that loads are aligned; entries of other rows are loaded but not added.
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

void writeScalar(Grammar& g)
{
    const std::string block = g.constant("BLOCK", g.parameter("block"));
    csrArguments(g, true);
    const bool vectors = g.parameter("vector") == 4;
    if (vectors)
        g.argument("int", "nnz", "nnz");
    g.entry(fmt::format("ceil_div(rows, {})", block), block,
            {"CSR-scalar: one thread per row.", "Each thread sums one short row.",
             "Thread per row: no reduction is needed."});
    g.line(fmt::format("int {} = blockIdx.x * blockDim.x + threadIdx.x;", g.name("row")));
    g.guard(g.name("row"), g.name("rows"));
    g.remark("The whole row is summed in a register.");
    if (vectors)
        sumByVectors(g, {}, {});
    else
        sumOfRow(g, {rowBegin(g), rowEnd(g), "1", g.parameter("unroll"), 1});
    g.line(fmt::format("y[{}] = {};", g.name("row"), g.name("sum")));
    g.endGuard();
}

/// S2 and S3: `lanes` threads share a row; a full warp needs no width in its shuffles.
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

void writeBlock(Grammar& g)
{
    const bool tree = g.parameter("tree") != 0;
    const std::string block = g.constant("BLOCK", g.parameter("block"));
    // At most 1,024 threads a row: more would be idle on short ones.
    const std::int64_t split = std::min(g.parameter("split"), 1024 / g.parameter("block"));
    KernelText text(g);
    text.set("BLOCK", block);
    if (split > 1) {
        text.constant("SPLIT", split);
        g.buffer(text.expand("scratch split_sums f32[rows * @SPLIT]"));
    }
    csrArguments(g, false);
    if (split > 1)
        g.argument("float*", "split_sums", "split_sums");
    g.entry(split > 1 ? text.expand("rows * @SPLIT") : "rows", block,
            {"CSR-block: one block per row.", "A whole block sums each long row.",
             "Block per row, two-stage sum."},
            "kernel", g.parameter("block") > 512);
    const std::string& sum = g.name("sum");
    const std::string& partial = g.name("partial");
    const std::string& row = g.name("row");
    g.line(fmt::format("__shared__ float {}[{}];", partial, tree ? block : "32"));
    const std::string& lane = g.name("lane");
    const std::string target = split > 1 ? g.name("split_sums") + "[blockIdx.x]" : fmt::format("y[{}]", row);
    text.write(split > 1 ? "int $row = blockIdx.x / @SPLIT, $lane = threadIdx.x;"
                         : "int $row = blockIdx.x, $lane = threadIdx.x;");
    const std::string begin = fmt::format("{} + {}", rowBegin(g), lane);
    sumOfRow(g, {split > 1 ? text.expand(begin + " + blockIdx.x % @SPLIT * @BLOCK") : begin, rowEnd(g),
                 split > 1 ? text.expand("(@BLOCK * @SPLIT)") : block, 0, g.parameter("accumulators")});
    if (tree) {
        const std::string& o = g.name("offset");
        g.remark("Halve the number of partial sums until one is left.");
        g.line(fmt::format("{}[{}] = {};", partial, lane, sum));
        g.line("__syncthreads();");
        const std::string half =
            g.style().literalParameters ? std::to_string(g.parameter("block") / 2) : block + " / 2";
        g.open(fmt::format("for (int {0} = {1}; {0} > 0; {0} /= 2)", o, half));
        g.line(fmt::format("if ({0} < {1}) {2}[{0}] += {2}[{0} + {1}];", lane, o, partial));
        g.line("__syncthreads();");
        g.close();
        g.line(fmt::format("if ({} == 0) {} = {}[0];", lane, target, partial));
        if (split > 1)
            writeSplitSums(g, text, "rows", {});
        return;
    }
    g.remark("First inside each warp, then over the warps.");
    g.reduceLanes("16", "1");
    g.line(fmt::format("if ({} == 0) {}[{}] = {};", g.remainder(lane, "32", 32), partial,
                       g.quotient(lane, "32", 32), sum));
    g.line("__syncthreads();");
    g.open(fmt::format("if ({} < 32)", lane));
    const std::string warps =
        g.style().literalParameters ? std::to_string(g.parameter("block") / 32) : block + " / 32";
    g.line(fmt::format("{0} = {1} < {2} ? {3}[{1}] : 0;", sum, lane, warps, partial));
    g.reduceLanes("16", "1");
    g.line(fmt::format("if ({} == 0) {} = {};", lane, target, sum));
    g.close();
    if (split > 1)
        writeSplitSums(g, text, "rows", {});
}

} // namespace

std::vector<FamilyEntry> csrFamilies()
{
    const FamilyParameter accumulators = {
        "accumulators", "independent sums per thread, in the plain loop", {1, 2, 4}};
    const FamilyParameter vector = {"vector", "entries per load: 4 instead of the batch", {1, 4}};
    return {
        {{"S1",
          "CSR, thread per row",
          "Each thread sums one row in a register; good for rows of a few entries and equal length.",
          {blockParameter,
           {"unroll", "steps of the plain inner loop per branch", {1, 2, 4, 8}},
           batchParameter,
           predicateParameter(),
           vector,
           narrowParameter,
           streamParameter},
          {}},
         writeScalar},
        {{"S2",
          "CSR, part of a warp per row",
          "2 to 16 lanes share a row and add up by shuffles; good for rows of about that length.",
          {blockParameter,
           {"lanes", "threads per row", {8, 2, 4, 16}},
           {"accumulators", "independent sums per thread, in the plain loop", {1, 2}},
           batchParameter,
           predicateParameter(),
           vector,
           narrowParameter,
           streamParameter},
          {}},
         writeVector},
        {{"S3",
          "CSR, warp per row",
          "A warp shares a row and adds up by shuffles; good for rows of 32 entries and more.",
          {blockParameter,
           {"lanes", "threads per row", {32}},
           accumulators,
           batchParameter,
           predicateParameter(),
           vector,
           narrowParameter,
           streamParameter},
          {}},
         writeVector},
        {{"S4",
          "CSR, block per row",
          "A block shares a row; partial sums meet in shared memory; good for few rows of hundreds of "
          "entries.",
          {{"block", "threads per block and row", {128, 64, 256, 512, 1024}},
           {"accumulators", "independent sums per thread, in the plain loop", {1, 2}},
           {"tree",
            "0: shuffles, then one value per warp in shared memory; 1: tree in shared memory",
            {0, 1}},
           batchParameter,
           predicateParameter(),
           {"split",
            "blocks per row, up to 1,024 threads; from 2 on a second kernel adds up their sums",
            {1, 2, 4, 8}},
           narrowParameter,
           streamParameter},
          {}},
         writeBlock},
    };
}

} // namespace sparserl
