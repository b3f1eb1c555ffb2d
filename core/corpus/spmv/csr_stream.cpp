// SPDX-License-Identifier: Apache-2.0
// S5: products of many short rows meet in shared memory.
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

/// S5: products of consecutive short rows go through shared memory; a long row has a block of its own.
void writeStream(Grammar& g)
{
    const std::int64_t lanes = g.parameter("lanes");
    KernelText text(g);
    text.stream(g.parameter("stream") != 0);
    text.constant("BLOCK", g.parameter("block")).constant("NNZ", g.parameter("nnz"));
    text.set("N",
             std::max<std::int64_t>(1, std::min<std::int64_t>(8, g.parameter("nnz") / g.parameter("block"))));
    if (lanes > 1)
        text.constant("T", lanes);
    g.format(fmt::format("blocks(nnz={})", g.parameter("nnz")));
    g.argument("const int*", "block_row", "blocks.row");
    g.argument("const int*", "row_ptr", "csr.row_ptr");
    g.matrixArguments("csr");
    g.entry("blocks.count", text.expand("@BLOCK"),
            {"CSR-stream: products of many short rows meet in shared memory.",
             "Blocks of consecutive rows with a bounded number of entries.",
             "Coalesced products first, then sums by row."});
    text.write(R"(
        __shared__ float $prod[@NNZ];
        int $t = threadIdx.x;
        int $first = $block_row[blockIdx.x], $last = $block_row[blockIdx.x + 1];
        int $start = $row_ptr[$first], $length = $row_ptr[$last] - $start;
        if ($length > @NNZ) {
        // One long row: the whole block sums it.
        float $sum = 0;)");
    writeRowSum(g, text,
                {text.expand("$start + $t"),
                 text.expand("$start + $length"),
                 text.expand("@BLOCK"),
                 4,
                 g.name("col"),
                 g.name("val"),
                 {},
                 g.name("sum")});
    text.write(R"(
        $reduce[16;1]
        if ($t % 32 == 0) $prod[$t / 32] = $sum;
        __syncthreads();
        if ($t < 32) {
        $sum = $t < @BLOCK / 32 ? $prod[$t] : 0;
        $reduce[16;1]
        if ($t == 0) y[$first] = $sum;
        }
        return;
        }
        for (int $i = $t; $i < $length; $i += @N * @BLOCK) {
        $unroll[@N]
        for (int $u = 0; $u < @N; $u++) {
        int $k = min($i + $u * @BLOCK, $length - 1);
        float $a = $ld[$val;$start + $k] * $x[$ld[$col;$start + $k]];
        if ($i + $u * @BLOCK < $length) $prod[$k] = $a;
        }
        }
        __syncthreads();)");
    if (lanes == 1) {
        text.write(R"(
            for (int $row = $first + $t; $row < $last; $row += @BLOCK) {
            float $sum = 0;
            int $end = $row_ptr[$row + 1] - $start;
            for (int $i = $row_ptr[$row] - $start; $i < $end; $i++) $sum += $prod[$i];
            y[$row] = $sum;
            })");
        return;
    }
    text.write(R"(
        // @T lanes add up a row; all threads go round equally often.
        for (int $k = $first; $k < $last; $k += @BLOCK / @T) {
        int $row = $k + $div[$t;T];
        float $sum = 0;
        if ($row < $last) {
        int $end = $row_ptr[$row + 1] - $start;
        for (int $i = $row_ptr[$row] - $start + $mod[$t;T]; $i < $end; $i += @T) $sum += $prod[$i];
        }
        $reduce[@T / 2;1;@T]
        if ($mod[$t;T] == 0 && $row < $last) y[$row] = $sum;
        })");
}

std::optional<SpmvWork> workCsrStream(const SpmvMatrix& m, const FamilyParameters& p)
{
    SpmvWork w;
    const double perBlock = valueOf(p, "nnz");
    w.bytes = m.csrBytes(false);
    w.block = valueOf(p, "block");
    const double blocks = std::max(1.0, m.nnz / perBlock * 1.05);
    w.threads = blocks * w.block;
    const double longest = std::min(m.longest, perBlock);
    const double rowsEach = m.rows / blocks / (w.block / valueOf(p, "lanes"));
    w.typical = 5 + 2 * std::ceil(perBlock / w.block / 8);
    w.chain = w.typical + std::max(1.0, rowsEach) * (1.3 + longest / valueOf(p, "lanes") * 0.1) +
              (m.longest > perBlock ? 2 * std::ceil(m.longest / w.block / 4) : 0);
    w.instructions = m.nnz * 16 + m.rows * (20 + 6 * valueOf(p, "lanes"));
    w.inFlight = m.entry * std::min(8.0, perBlock / w.block);
    w.extra = 0.1;
    return w;
}

int recogniseCsrStream(const ProgramShape& program)
{
    return program.names({"blocks"}) ? 112 : 0;
}

} // namespace

KernelFamily csrStream()
{
    return {.family = {"S5",
                       "CSR-stream",
                       "Blocks take consecutive rows with a bounded number of entries, multiply them in "
                       "order and add up rows in shared memory; good for short rows of uneven length.",
                       {{"block", "threads per block", {128, 64, 256, 512}},
                        {"nnz", "most entries per block", {1024, 256, 512, 2048, 4096}},
                        {"lanes", "threads that add up a row", {1, 2, 4, 8, 16, 32}},
                        streamParameter()},
                       {"blocks"}},
            .write = writeStream,
            .recognise = recogniseCsrStream,
            .rules = SpmvRules{
                .grids = {{{"block", {128, 256}}, {"nnz", {1024, 256, 512, 2048}}, {"lanes", {1, 2, 4, 8}}}},
                .work = workCsrStream,
                .reason = reasonOfLongestRow,
                .fits = {{.weights = {1.62, 0.67, 1.21, 0.392, 0.216, 0.48, 0.532, 0.0556, 0.696, 1.17, 0.182,
                                      0.536, 3.3, 0, 0.126},
                          .tail = 0.15,
                          .factors = {{"block", 64, 1.07},
                                      {"block", 512, 0.925},
                                      {"lanes", 1, 0.921},
                                      {"lanes", 2, 0.954},
                                      {"lanes", 16, 1.09},
                                      {"lanes", 32, 1.06},
                                      {"nnz", 256, 0.946},
                                      {"nnz", 512, 0.958},
                                      {"nnz", 4096, 1.12}}}},
                .wholeLines = true}};
}

} // namespace sparserl::spmv
