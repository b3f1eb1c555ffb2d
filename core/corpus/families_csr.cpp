// SPDX-License-Identifier: Apache-2.0
#include "corpus/family_table.h"
#include "corpus/grammar.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

const FamilyParameter blockParameter = {"block", "threads per block", {128, 64, 256, 512}};

void csrArguments(Grammar& g, bool rows)
{
    if (rows)
        g.argument("int", "rows", "rows");
    g.argument("const int*", "row_ptr", "csr.row_ptr");
    g.matrixArguments("csr");
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
    g.entry(fmt::format("ceil_div(rows, {})", block), block,
            {"CSR-scalar: one thread per row.", "Each thread sums one short row.",
             "Thread per row: no reduction is needed."});
    g.line(fmt::format("int {} = blockIdx.x * blockDim.x + threadIdx.x;", g.name("row")));
    g.guard(g.name("row"), g.name("rows"));
    g.remark("The whole row is summed in a register.");
    g.dotLoop({rowBegin(g), rowEnd(g), "1", g.parameter("unroll"), 1});
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
    g.dotLoop(
        {fmt::format("{} + {}", rowBegin(g), g.name("lane")), rowEnd(g), t, 0, g.parameter("accumulators")});
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
    csrArguments(g, false);
    g.entry("rows", block,
            {"CSR-block: one block per row.", "A whole block sums each long row.",
             "Block per row, two-stage sum."});
    const std::string& sum = g.name("sum");
    const std::string& partial = g.name("partial");
    const std::string& row = g.name("row");
    g.line(fmt::format("__shared__ float {}[{}];", partial, tree ? block : "32"));
    g.line(fmt::format("int {} = blockIdx.x, {} = threadIdx.x;", row, g.name("lane")));
    const std::string& lane = g.name("lane");
    g.dotLoop({fmt::format("{} + {}", rowBegin(g), lane), rowEnd(g), block, 0, g.parameter("accumulators")});
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
        g.line(fmt::format("if ({} == 0) y[{}] = {}[0];", lane, row, partial));
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
    g.line(fmt::format("if ({} == 0) y[{}] = {};", lane, row, sum));
    g.close();
}

} // namespace

std::vector<FamilyEntry> csrFamilies()
{
    const FamilyParameter accumulators = {"accumulators", "independent sums per thread", {1, 2, 4}};
    return {
        {{"S1",
          "CSR, thread per row",
          "Each thread sums one row in a register; good for rows of a few entries and equal length.",
          {blockParameter, {"unroll", "steps of the inner loop per branch", {1, 2, 4, 8}}},
          {}},
         writeScalar},
        {{"S2",
          "CSR, part of a warp per row",
          "2 to 16 lanes share a row and add up by shuffles; good for rows of about that length.",
          {blockParameter,
           {"lanes", "threads per row", {8, 2, 4, 16}},
           {"accumulators", "independent sums per thread", {1, 2}}},
          {}},
         writeVector},
        {{"S3",
          "CSR, warp per row",
          "A warp shares a row and adds up by shuffles; good for rows of 32 entries and more.",
          {blockParameter, {"lanes", "threads per row", {32}}, accumulators},
          {}},
         writeVector},
        {{"S4",
          "CSR, block per row",
          "A block shares a row; partial sums meet in shared memory; good for few rows of hundreds of "
          "entries.",
          {{"block", "threads per block and row", {128, 256, 512, 1024}},
           {"accumulators", "independent sums per thread", {1, 2}},
           {"tree",
            "0: shuffles, then one value per warp in shared memory; 1: tree in shared memory",
            {0, 1}}},
          {}},
         writeBlock},
    };
}

} // namespace sparserl
