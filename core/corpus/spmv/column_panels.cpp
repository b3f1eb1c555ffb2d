// SPDX-License-Identifier: Apache-2.0
// S18: x in shared memory, panel by panel.
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

/// S18: a block keeps a panel of x in shared memory while its rows pass over the panel's columns.
void writePanels(Grammar& g)
{
    const std::int64_t many = g.parameter("rows");
    KernelText text(g);
    text.stream(g.parameter("stream") != 0);
    text.constant("BLOCK", g.parameter("block")).constant("T", g.parameter("lanes"));
    text.constant("WIDTH", g.parameter("width")).set("MANY", many).set("N", g.parameter("batch"));
    g.format(fmt::format("panels(width={})", g.parameter("width")));
    g.argument("int", "rows", "rows");
    g.argument("int", "cols", "cols");
    g.argument("int", "panels", "panels.count");
    g.argument("const int*", "row_ptr", "panels.row_ptr");
    g.matrixArguments("panels");
    g.entry(text.expand("ceil_div(rows, @BLOCK / @T * @MANY)"), text.expand("@BLOCK"),
            {"Column panels: x is staged in shared memory.", "Each block reads x once, panel by panel.",
             "Columns in panels that fit into shared memory."},
            "kernel", g.parameter("block") > 512);
    text.write(R"(
        __shared__ float $xs[@WIDTH];
        int $lane = $mod[threadIdx.x;T];
        int $first = blockIdx.x * (@BLOCK / @T * @MANY) + $div[threadIdx.x;T];
        float $total[@MANY] = {};
        for (int $p = 0; $p < $panels; $p++) {
        int $start = $p * @WIDTH, $length = min(@WIDTH, $cols - $start);
        for (int $i = threadIdx.x; $i < $length; $i += @BLOCK) $xs[$i] = $x[$start + $i];
        __syncthreads();
        const int* $ptr = $row_ptr + $p * ($rows + 1);
        $unroll[@MANY]
        for (int $u = 0; $u < @MANY; $u++) {
        int $row = $first + $u * (@BLOCK / @T);
        if ($row < $rows) {
        int $end = $ptr[$row + 1];
        for (int $i = $ptr[$row] + $lane; $i < $end; $i += @N * @T) {
        $unroll[@N]
        for (int $j = 0; $j < @N; $j++) {
        int $k = $i + $j * @T < $end ? $i + $j * @T : $i;
        float $a = $ld[$val;$k];
        $mad[$total[$u]; ($i + $j * @T < $end ? $a : 0.0f); $xs[$ld[$col;$k] - $start]]
        }
        }
        }
        }
        __syncthreads();
        }
        $unroll[@MANY]
        for (int $u = 0; $u < @MANY; $u++) {
        float $sum = $total[$u];)");
    if (g.parameter("lanes") > 1)
        text.write("$reduce[@T / 2;1;@T]");
    text.write(R"(
        int $row = $first + $u * (@BLOCK / @T);
        if ($lane == 0 && $row < $rows) y[$row] = $sum;
        })");
}

std::optional<SpmvWork> workColumnPanels(const SpmvMatrix& m, const FamilyParameters& p)
{
    SpmvWork w;
    const double panels = std::ceil(m.cols / valueOf(p, "width"));
    const double lanes = valueOf(p, "lanes");
    const double many = valueOf(p, "rows");
    w.bytes = m.entry * m.nnz + 4 * m.rows * panels;
    if (!m.storable(w.bytes))
        return std::nullopt;
    w.block = valueOf(p, "block");
    w.threads = m.rows * lanes / many;
    const double blocks = std::max(1.0, w.threads / w.block);
    const double batch = valueOf(p, "batch");
    w.chain = w.typical = panels * (3.5 + many * (1 + std::ceil(m.mean / panels / lanes / batch))) + 1;
    w.chain += std::ceil(m.longest / lanes / batch);
    w.instructions = w.threads * panels * 60 + m.nnz * 9;
    w.extra = blocks * m.value * m.cols / m.device.l2BytesPerUs;
    w.gather = 0;
    return w;
}

std::int64_t sharedBytes(const FamilyParameters& p, std::int64_t valueBytes)
{
    return p.at("width") * valueBytes;
}

int recogniseColumnPanels(const ProgramShape& program)
{
    return program.names({"panels"}) ? 104 : 0;
}

} // namespace

KernelFamily columnPanels()
{
    return {.family = {"S18",
                       "Column panels, x in shared memory",
                       "Each block stages x panel by panel in shared memory; good for few columns and many "
                       "entries per column.",
                       {{"block", "threads per block", {256, 128, 512, 1024}},
                        {"width", "columns per panel", {2048, 512, 1024, 4096, 8192}},
                        {"lanes", "threads per row", {8, 1, 4, 16, 32}},
                        {"rows", "rows per thread", {4, 1, 2, 8}},
                        {"batch", "entries whose loads are in flight together", {4, 1, 2, 8}},
                        streamParameter()},
                       {"panels"}},
            .write = writePanels,
            .recognise = recogniseColumnPanels,
            .rules = SpmvRules{.grids = {{{"block", {256, 512, 1024}},
                                          {"width", {512, 1024, 2048, 4096, 8192}},
                                          {"lanes", {4, 8, 16, 32}},
                                          {"batch", {2, 4, 8}},
                                          {"rows", {1, 2, 4}}}},
                               .work = workColumnPanels,
                               .reason = reasonOfColumnLength,
                               .fits = {{.weights = {1.22, 0.598, 1.08, 0.885, 0.176, 0.458, 0.48, 0.0992,
                                                     0.616, 1.03, 0.166, 0.485, 1.53, 0, 0.092},
                                         .tail = 0.276,
                                         .factors = {{"batch", 8, 1.24},
                                                     {"block", 128, 1.05},
                                                     {"lanes", 16, 1.04},
                                                     {"rows", 1, 0.888},
                                                     {"rows", 4, 1.04},
                                                     {"rows", 8, 1.06},
                                                     {"width", 512, 0.964},
                                                     {"width", 1024, 0.957},
                                                     {"width", 8192, 1.05}}}}},
            .sharedBytes = sharedBytes};
}

} // namespace sparserl::spmv
