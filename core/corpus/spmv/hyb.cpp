// SPDX-License-Identifier: Apache-2.0
// S12: most entries in ELL, what sticks out as coordinates.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv/reasons.h"
#include "corpus/spmv_work.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::spmv {

namespace {

constexpr std::string_view addCoo = R"(
    int $k = $t * @ITEMS;
    if ($k >= $coo_nnz) return;
    int $row = $coo_row[$k];
    float $sum = 0;
    $unroll[@ITEMS]
    for (int $u = 0; $u < @ITEMS; $u++) {
    if ($k + $u < $coo_nnz) {
    // One atomic per row and thread.
    if ($coo_row[$k + $u] != $row) {
    atomicAdd(&y[$row], $sum);
    $row = $coo_row[$k + $u];
    $sum = 0;
    }
    $mad[$sum; $ld[$coo_val;$k + $u]; $x[$ld[$coo_col;$k + $u]]]
    }
    }
    atomicAdd(&y[$row], $sum);)";

/// S12: the first entries of each row in ELL, the others as coordinates.
void writeHyb(Grammar& g)
{
    const bool fused = g.parameter("fused") != 0;
    KernelText text(g);
    text.stream(g.parameter("stream") != 0);
    text.constant("BLOCK", g.parameter("block")).constant("ITEMS", g.parameter("items"));
    g.format(fmt::format("hyb(quantile={})", g.parameter("quantile")));
    if (fused)
        g.buffer("zero y");
    const auto cooArguments = [&] {
        g.argument("int", "coo_nnz", "hyb.coo_nnz");
        g.argument("const int*", "coo_row", "hyb.coo_row");
        g.argument("const int*", "coo_col", "hyb.coo_col");
        g.argument("const float*", "coo_val", "hyb.coo_val");
    };
    g.argument("int", "rows", "rows");
    g.argument("int", "width", "hyb.width");
    if (fused)
        cooArguments();
    g.argument("const int*", "col", "hyb.ell_col");
    g.argument("const float*", "val", "hyb.ell_val");
    g.vectorArguments();
    const std::string cooBlocks = text.expand("ceil_div(hyb.coo_nnz, @BLOCK * @ITEMS)");
    g.entry(text.expand("ceil_div(rows, @BLOCK)") + (fused ? " + " + cooBlocks : ""), text.expand("@BLOCK"),
            {"HYB: most entries in ELL, the rest of long rows as coordinates.",
             "A regular part and a part for the entries that stick out.",
             "Thread per row, then coordinates."});
    if (fused) {
        text.write(R"(
            int $blocks = ($rows + @BLOCK - 1) / @BLOCK;
            if (blockIdx.x >= $blocks) {
            int $t = (blockIdx.x - $blocks) * @BLOCK + threadIdx.x;)");
        text.write(addCoo);
        text.write(R"(
            return;
            })");
    }
    text.write(R"(
        int $row = blockIdx.x * blockDim.x + threadIdx.x;
        $guard[$row;$rows]
        float $sum = 0;)");
    writeRowSum(g, text,
                {g.name("row"),
                 text.expand("$width * $rows"),
                 g.name("rows"),
                 g.parameter("batch"),
                 g.name("col"),
                 g.name("val"),
                 {},
                 g.name("sum")});
    text.write(fused ? "atomicAdd(&y[$row], $sum);" : "y[$row] = $sum;");
    text.write("$endguard");
    if (fused)
        return;
    cooArguments();
    g.vectorArguments();
    g.entry(cooBlocks, text.expand("@BLOCK"),
            {"The entries of long rows that ELL has no room for.", "Adds the coordinates."}, "rest");
    text.write("int $t = blockIdx.x * blockDim.x + threadIdx.x;");
    text.write(addCoo);
}

std::optional<SpmvWork> workHyb(const SpmvMatrix& m, const FamilyParameters& p)
{
    SpmvWork w;
    const double items = valueOf(p, "items");
    const double width = valueOf(p, "quantile") >= 99   ? static_cast<double>(m.features.rowQ99)
                         : valueOf(p, "quantile") >= 80 ? static_cast<double>(m.features.rowQ80)
                                                        : static_cast<double>(m.features.rowQ50);
    const double rest = std::max(0.0, m.nnz - m.rows * std::min(width, m.mean) * 0.9);
    w.bytes = m.entry * m.rows * width + (m.entry + 4) * rest;
    if (!m.storable(w.bytes))
        return std::nullopt;
    w.block = valueOf(p, "block");
    w.threads = m.rows + rest / items;
    w.chain = w.typical = 2 * m.rounds(width, 1, p) + 1 + items;
    w.instructions = m.rows * (20 + width * 9) + rest * 20;
    w.inFlight = m.entry * valueOf(p, "batch");
    w.launches = valueOf(p, "fused") == 1 ? 1 : 2;
    w.zeroed = valueOf(p, "fused");
    w.extra = (rest / items * 0.0006 + (valueOf(p, "fused") == 1 ? m.rows * 0.0003 : 0)) * m.device.atomic;
    return w;
}

int recogniseHyb(const ProgramShape& program)
{
    return program.names({"hyb"}) ? 111 : 0;
}

} // namespace

KernelFamily hyb()
{
    return {.family = {"S12",
                       "HYB (ELL and COO)",
                       "Padded rows up to a width that most rows fit into, coordinates for what sticks out; "
                       "good for few long rows.",
                       {blockParameter(),
                        {"quantile", "per cent of rows that fit", {80, 50, 66, 90, 95, 99}},
                        {"items", "coordinates per thread", {4, 1, 2, 8}},
                        {"fused", "1: both parts in one launch, y zeroed; 0: two launches", {0, 1}},
                        batchParameter(4),
                        streamParameter()},
                       {"hyb"}},
            .write = writeHyb,
            .recognise = recogniseHyb,
            .rules = SpmvRules{.grids = {{{"block", {128, 256}},
                                          {"quantile", {80, 95, 99}},
                                          {"fused", {0, 1}},
                                          {"batch", {4, 8}}}},
                               .work = workHyb,
                               .reason = reasonOfPadding,
                               .fits = {{.weights = {1.39, 1.25, 0.677, 0.952, 0.196, 0.469, 0.491, 0.0217,
                                                     0.652, 1.1, 0.171, 0.516, 0.0494, 0, 0.0985},
                                         .tail = 0.292,
                                         .factors = {{"batch", 1, 1.03},
                                                     {"batch", 2, 0.93},
                                                     {"batch", 4, 0.959},
                                                     {"batch", 8, 1.09},
                                                     {"block", 64, 0.967},
                                                     {"block", 128, 1.05},
                                                     {"block", 256, 1.03},
                                                     {"block", 512, 0.955},
                                                     {"items", 2, 0.964},
                                                     {"items", 4, 1.05},
                                                     {"quantile", 66, 0.944},
                                                     {"quantile", 80, 0.964},
                                                     {"quantile", 90, 1.04},
                                                     {"quantile", 95, 1.08}}}}}};
}

} // namespace sparserl::spmv
