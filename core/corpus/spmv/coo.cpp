// SPDX-License-Identifier: Apache-2.0
// S8: coordinates; every entry knows its row.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv/entry_sums.h"
#include "corpus/spmv/reasons.h"
#include "corpus/spmv_work.h"

namespace sparserl::spmv {

namespace {

/// S8: coordinates; every entry knows its row.
void writeCoo(Grammar& g)
{
    const std::int64_t reduce = g.parameter("reduce");
    KernelText text(g);
    text.stream(g.parameter("stream") != 0);
    text.constant("BLOCK", g.parameter("block")).constant("ITEMS", g.parameter("items"));
    g.format("coo");
    writeClear(g, text);
    g.argument("int", "nnz", "nnz");
    g.argument("const int*", "row_of", "coo.row");
    g.matrixArguments("coo");
    g.entry(text.expand("ceil_div(nnz, @BLOCK * @ITEMS)"), text.expand("@BLOCK"),
            {"COO: entries are added to y by atomics.", "Every entry carries its row.",
             "Coordinates, balanced by entries."});
    if (reduce == 2) {
        text.write(R"(
            int $i = (blockIdx.x * blockDim.x + threadIdx.x) * @ITEMS;
            if ($i >= $nnz) return;
            int $end = min($i + @ITEMS, $nnz);
            int $row = $row_of[$i];
            float $sum = 0;
            $unroll[@ITEMS]
            for (int $u = 0; $u < @ITEMS; $u++) {
            int $k = min($i + $u, $nnz - 1);
            int $next = $ld[$row_of;$k];
            float $a = $ld[$val;$k] * $x[$ld[$col;$k]];
            // One atomic per row and thread.
            if ($next != $row) {
            atomicAdd(&y[$row], $sum);
            $row = $next;
            $sum = 0;
            }
            if ($i + $u < $end) $sum += $a;
            }
            atomicAdd(&y[$row], $sum);)");
        return;
    }
    text.write(R"(
        int $lane = threadIdx.x % 32;
        int $i = (blockIdx.x * (@BLOCK / 32) + threadIdx.x / 32) * (32 * @ITEMS) + $lane;
        $unroll[@ITEMS]
        for (int $u = 0; $u < @ITEMS; $u++) {)");
    if (reduce == 0) {
        text.write(R"(
            if ($i + $u * 32 < $nnz) {
            int $k = $i + $u * 32;
            atomicAdd(&y[$ld[$row_of;$k]], $ld[$val;$k] * $x[$ld[$col;$k]]);
            }
            })");
        return;
    }
    text.write(R"(
        int $row = -1;
        float $sum = 0;
        if ($i + $u * 32 < $nnz) {
        $row = $ld[$row_of;$i + $u * 32];
        $sum = $ld[$val;$i + $u * 32] * $x[$ld[$col;$i + $u * 32]];
        })");
    text.set("KEY", g.name("row"));
    text.write(addByWarp);
    text.write(R"(
        if ($row >= 0 && ($lane == 31 || $next != $row)) atomicAdd(&y[$row], $sum);
        })");
}

std::optional<SpmvWork> workCoo(const SpmvMatrix& m, const FamilyParameters& p)
{
    SpmvWork w = m.entryWork(p, valueOf(p, "items"), 0.15);
    w.bytes = (m.entry + 4) * m.nnz;
    const double scan = valueOf(p, "reduce") == 1 ? 40 : 0;
    w.instructions = m.nnz * (14 + scan) + w.threads * 60;
    // Per entry without compression; else one per thread and one per row at least.
    const double atomics = valueOf(p, "reduce") == 0 ? m.nnz : w.threads / 4 + m.rows;
    w.extra = atomics * 0.0004 * m.device.atomic;
    return w;
}

int recogniseCoo(const ProgramShape& program)
{
    return program.names({"coo"}) ? 102 : 0;
}

} // namespace

KernelFamily coo()
{
    return {.family =
                {"S8",
                 "COO",
                 "Coordinates of every entry, added to a zeroed y by atomics; good for hypersparse matrices.",
                 {blockParameter(),
                  {"items", "entries per thread", {4, 1, 2, 8, 16}},
                  {"reduce",
                   "before atomics: 1: segmented sums of a warp; 0: none; 2: runs of a thread",
                   {1, 0, 2}},
                  clearParameter(),
                  streamParameter()},
                 {"coo"}},
            .write = writeCoo,
            .recognise = recogniseCoo,
            .rules = SpmvRules{
                .grids = {{{"block", {128, 256}}, {"items", {1, 4, 8}}, {"reduce", {1, 2}}, {"clear", {1}}}},
                .work = workCoo,
                .reason = reasonOfLongestRow,
                .fits = {{.weights = {0, 0.721, 1.3, 3.36, 0.185, 0.537, 0.592, 0, 0.753, 1.24, 0.181, 0.617,
                                      0.0166, 0, 0.132},
                          .tail = 0.126,
                          .factors = {{"block", 256, 1.05},
                                      {"block", 512, 0.967},
                                      {"items", 1, 0.931},
                                      {"items", 2, 0.876},
                                      {"items", 4, 0.95},
                                      {"items", 8, 1.04},
                                      {"items", 16, 1.24},
                                      {"reduce", 0, 1.06},
                                      {"reduce", 1, 0.925}}}}}};
}

} // namespace sparserl::spmv
