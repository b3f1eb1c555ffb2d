// SPDX-License-Identifier: Apache-2.0
// S4: a block, or several, sum a row of CSR.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv/csr_rows.h"
#include "corpus/spmv_work.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::spmv {

namespace {

std::string reasonOfRows(const MatrixFeatures& features)
{
    return fmt::format("{} rows of mean length {:.0f}", features.rows, features.rowMean);
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

std::optional<SpmvWork> workCsrBlockPerRow(const SpmvMatrix& m, const FamilyParameters& p)
{
    const double split = std::min(valueOf(p, "split"), 1024 / valueOf(p, "block"));
    SpmvWork w = m.rowWork(p, valueOf(p, "block") * split);
    w.launches = split > 1 ? 2 : 1;
    if (valueOf(p, "tree") == 1)
        w.extra += 0.15;
    return w;
}

int recogniseCsrBlockPerRow(const ProgramShape& program)
{
    return program.kernel && program.rowPerBlock && program.blockWaits ? 40 : 0;
}

} // namespace

KernelFamily csrBlockPerRow()
{
    return {.family = {"S4",
                       "CSR, block per row",
                       "A block shares a row; partial sums meet in shared memory; good for few rows of "
                       "hundreds of entries.",
                       {{"block", "threads per block and row", {128, 64, 256, 512, 1024}},
                        {"accumulators", "independent sums per thread, in the plain loop", {1, 2}},
                        {"tree",
                         "0: shuffles, then one value per warp in shared memory; 1: tree in shared memory",
                         {0, 1}},
                        batchParameter(),
                        predicateParameter(),
                        {"split",
                         "blocks per row, up to 1,024 threads; from 2 on a second kernel adds up their sums",
                         {1, 2, 4, 8}},
                        narrowParameter(),
                        streamParameter()},
                       {}},
            .write = writeBlock,
            .recognise = recogniseCsrBlockPerRow,
            .rules = SpmvRules{.grids = {{{"block", {128, 64, 256, 512, 1024}},
                                          {"batch", {1, 2, 4, 8}},
                                          {"predicate", {0, 1}},
                                          {"index16", {0, 1}}},
                                         {{"block", {128, 256}},
                                          {"batch", {2, 4, 8}},
                                          {"split", {2, 4, 8}},
                                          {"index16", {0, 1}}}},
                               .work = workCsrBlockPerRow,
                               .reason = reasonOfRows,
                               .fits = {{.weights = {1.35, 0.619, 1.11, 0.763, 0.183, 0.431, 0.471, 0.0451,
                                                     0.63, 1.06, 0.169, 0.477, 0, 0, 0.0818},
                                         .tail = 0.0604,
                                         .factors = {{"batch", 1, 1.07},
                                                     {"batch", 2, 0.964},
                                                     {"batch", 4, 0.96},
                                                     {"block", 128, 0.954},
                                                     {"block", 256, 0.95},
                                                     {"block", 512, 0.934},
                                                     {"block", 1024, 1.15}}}}}};
}

} // namespace sparserl::spmv
