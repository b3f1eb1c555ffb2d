// SPDX-License-Identifier: Apache-2.0
// S7: threads take equally many entries of CSR.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv/entry_sums.h"
#include "corpus/spmv/reasons.h"
#include "corpus/spmv_work.h"

#include <cmath>

namespace sparserl::spmv {

namespace {

/// The products of this thread's entries, all of which are loaded before any is added.
void writeProducts(KernelText& text, bool byVectors)
{
    if (byVectors) {
        text.write(R"(
            float $prod[@ITEMS];
            if ($i + @ITEMS <= $nnz) {
            $unroll[@ITEMS / 4]
            for (int $u = 0; $u < @ITEMS / 4; $u++) {
            int4 $c = $ld[reinterpret_cast<const int4*>($col);$i / 4 + $u];
            float4 $a = $ld[reinterpret_cast<const float4*>($val);$i / 4 + $u];
            $prod[$u * 4] = $a.x * $x[$c.x];
            $prod[$u * 4 + 1] = $a.y * $x[$c.y];
            $prod[$u * 4 + 2] = $a.z * $x[$c.z];
            $prod[$u * 4 + 3] = $a.w * $x[$c.w];
            }
            }
            else {
            $unroll[@ITEMS]
            for (int $u = 0; $u < @ITEMS; $u++) {
            int $k = min($i + $u, $nnz - 1);
            $prod[$u] = $val[$k] * $x[$col[$k]];
            }
            })");
        return;
    }
    text.write(R"(
            float $prod[@ITEMS];
            $unroll[@ITEMS]
            for (int $u = 0; $u < @ITEMS; $u++) {
            int $k = min($i + $u, $nnz - 1);
            $prod[$u] = $ld[$val;$k] * $x[$ld[$col;$k]];
            })");
}

/// S7: each thread takes ITEMS neighbouring entries of CSR, whichever rows they belong to.
void writeSplit(Grammar& g)
{
    const std::int64_t items = g.parameter("items");
    const bool prepared = g.parameter("search") == 0;
    KernelText text(g);
    text.stream(g.parameter("stream") != 0);
    text.constant("BLOCK", g.parameter("block")).constant("ITEMS", items);
    writeClear(g, text);
    constexpr std::string_view search = R"(
        int $low = 0, $high = $rows - 1;
        while ($low < $high) {
        int $mid = ($low + $high + 1) / 2;
        if ($row_ptr[$mid] <= $i) $low = $mid;
        else $high = $mid - 1;
        })";
    if (prepared) {
        g.buffer(text.expand("prepared first_row i32[ceil_div(nnz, @ITEMS)]"));
        g.argument("int", "rows", "rows");
        g.argument("int", "nnz", "nnz");
        g.argument("const int*", "row_ptr", "csr.row_ptr");
        g.argument("int*", "first_row", "first_row");
        g.prepare(text.expand("ceil_div(ceil_div(nnz, @ITEMS), @BLOCK)"), text.expand("@BLOCK"), "find");
        text.write(R"(
            int $i = (blockIdx.x * blockDim.x + threadIdx.x) * @ITEMS;
            if ($i >= $nnz) return;)");
        text.write(search);
        text.write("$first_row[$i / @ITEMS] = $low;");
    }
    if (!prepared)
        g.argument("int", "rows", "rows");
    g.argument("int", "nnz", "nnz");
    if (prepared)
        g.argument("const int*", "first_row", "first_row");
    g.argument("const int*", "row_ptr", "csr.row_ptr");
    g.matrixArguments("csr");
    g.entry(text.expand("ceil_div(ceil_div(nnz, @ITEMS), @BLOCK)"), text.expand("@BLOCK"),
            {"Equal numbers of entries per thread, whichever rows they belong to.",
             "Entries are split evenly; rows that threads share are added by atomics.",
             "Load balance by entries instead of rows."});
    text.write(R"(
        int $i = (blockIdx.x * blockDim.x + threadIdx.x) * @ITEMS;
        int $lane = threadIdx.x % 32;
        int $row = -1;
        float $sum = 0;
        if ($i < $nnz) {)");
    if (!prepared)
        text.write(search);
    text.write(prepared ? "$row = $first_row[$i / @ITEMS];" : "$row = $low;");
    writeProducts(text, g.parameter("vector") == 4 && items % 4 == 0);
    text.write(R"(
        int $end = $row_ptr[$row + 1];
        // Others add to this row too if it began before this thread's entries.
        bool $shared = $row_ptr[$row] < $i;
        $unroll[@ITEMS]
        for (int $u = 0; $u < @ITEMS; $u++) {
        if ($i + $u < $nnz) {
        if ($i + $u >= $end) {
        if ($shared) atomicAdd(&y[$row], $sum);
        else y[$row] = $sum;
        $shared = false;
        $sum = 0;
        while ($i + $u >= $end) {
        $row++;
        $end = $row_ptr[$row + 1];
        }
        }
        $sum += $prod[$u];
        }
        }
        })");
    if (g.parameter("combine") == 0) {
        text.write("if ($row >= 0) atomicAdd(&y[$row], $sum);");
        return;
    }
    text.set("KEY", g.name("row"));
    text.write(addByWarp);
    text.write("if ($row >= 0 && ($lane == 31 || $next != $row)) atomicAdd(&y[$row], $sum);");
}

std::optional<SpmvWork> workNonzeroSplit(const SpmvMatrix& m, const FamilyParameters& p)
{
    const double items = valueOf(p, "items");
    SpmvWork w = m.entryWork(p, items, 0.1);
    w.bytes = m.csrBytes(false) + m.nnz / items * 4;
    if (valueOf(p, "search") == 1)
        w.chain = w.typical = w.typical + std::log2(m.rows + 1);
    w.instructions = m.nnz * 14 + w.threads * 60;
    const double atomics = w.threads / 4 + m.rows; // One per thread and one per row at least.
    w.extra = (atomics * 0.0004 + (valueOf(p, "combine") == 0 ? w.threads * 0.0004 : 0)) * m.device.atomic;
    return w;
}

int recogniseNonzeroSplit(const ProgramShape& program)
{
    return program.kernel && program.atomics ? 50 : 0;
}

} // namespace

KernelFamily nonzeroSplit()
{
    return {.family = {"S7",
                       "Non-zero split",
                       "Threads take equally many neighbouring entries; rows that threads share are added by "
                       "atomics to a zeroed y; good for heavy tails.",
                       {blockParameter(),
                        {"items", "entries per thread", {8, 2, 4, 16}},
                        {"combine", "1: sums of one row are added up in the warp first", {1, 0}},
                        {"search",
                         "0: first rows are found once, beforehand; 1: by each thread, on every call",
                         {0, 1}},
                        {"vector", "entries per load", {4, 1}},
                        clearParameter(),
                        streamParameter()},
                       {}},
            .write = writeSplit,
            .recognise = recogniseNonzeroSplit,
            .rules = SpmvRules{
                .grids = {{{"block", {128, 256}}, {"items", {4, 8, 16}}, {"clear", {1}}}},
                .work = workNonzeroSplit,
                .reason = reasonOfLongestRow,
                .fits = {{.weights = {2.06, 0.636, 1.15, 0.794, 0.239, 0.498, 0.52, 0.00385, 0.682, 1.13,
                                      0.162, 0.572, 0.0244, 0, 0.103},
                          .tail = 0.0635,
                          .factors = {{"items", 2, 0.89}, {"items", 4, 0.919}, {"items", 16, 1.19}}}},
                .wholeLines = true}};
}

} // namespace sparserl::spmv
