// SPDX-License-Identifier: Apache-2.0
// S6: row ends and entries are one path, cut into equal tiles.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv/reasons.h"
#include "corpus/spmv_work.h"

#include <cmath>
#include <fmt/format.h>

namespace sparserl::spmv {

namespace {

/// S6: the merge path over row ends and entries, cut into tiles of equal length.
void writeMerge(Grammar& g)
{
    const std::int64_t items = g.parameter("items");
    const std::int64_t tile = g.parameter("block") * items;
    const bool atomics = g.parameter("atomics") != 0;
    KernelText text(g);
    text.stream(g.parameter("stream") != 0);
    text.constant("BLOCK", g.parameter("block")).constant("ITEMS", items);
    text.set("TILE", tile);
    g.format(fmt::format("tiles(items={})", tile));
    if (atomics) {
        g.buffer("zero y");
    } else {
        g.buffer("scratch carry_row i32[tiles.count]");
        g.buffer("scratch carry f32[tiles.count]");
    }
    g.argument("int", "rows", "rows");
    g.argument("const int*", "tile_row", "tiles.row");
    g.argument("const int*", "tile_nz", "tiles.nz");
    g.argument("const int*", "row_ptr", "csr.row_ptr");
    g.matrixArguments("csr");
    if (!atomics) {
        g.argument("int*", "carry_row", "carry_row");
        g.argument("float*", "carry", "carry");
    }
    g.entry("tiles.count", text.expand("@BLOCK"),
            {"Merge path: each block takes equally many row ends and entries.",
             "Tiles of the merge path, balanced for any row lengths.",
             "One tile of the merge path per block."});
    text.write(R"(
        __shared__ int $ends[@TILE];
        __shared__ float $prod[@TILE], $total[@TILE + 1];
        int $t = threadIdx.x;
        int $first = $tile_row[blockIdx.x], $count = $tile_row[blockIdx.x + 1] - $first;
        int $start = $tile_nz[blockIdx.x], $length = $tile_nz[blockIdx.x + 1] - $start;
        for (int $i = $t; $i < $count; $i += @BLOCK) $ends[$i] = $row_ptr[$first + $i + 1] - $start;
        for (int $i = $t; $i <= $count; $i += @BLOCK) $total[$i] = 0;
        if ($length > 0) {
        $unroll[@ITEMS]
        for (int $u = 0; $u < @ITEMS; $u++) {
        int $i = min($t + $u * @BLOCK, $length - 1);
        float $a = $ld[$val;$start + $i] * $x[$ld[$col;$start + $i]];
        if ($t + $u * @BLOCK < $length) $prod[$i] = $a;
        }
        }
        __syncthreads();
        // Where this thread's share of the path begins.
        int $d = min($t * @ITEMS, $count + $length);
        int $row = max($d - $length, 0), $high = min($d, $count);
        while ($row < $high) {
        int $mid = ($row + $high) / 2;
        if ($ends[$mid] <= $d - $mid - 1) $row = $mid + 1;
        else $high = $mid;
        }
        int $k = $d - $row;
        float $sum = 0;
        for (int $u = 0; $u < @ITEMS; $u++) {
        if ($row < $count && $ends[$row] <= $k) {
        atomicAdd(&$total[$row], $sum);
        $sum = 0;
        $row++;
        }
        else if ($k < $length) {
        $sum += $prod[$k];
        $k++;
        }
        }
        if ($sum != 0) atomicAdd(&$total[$row], $sum);
        __syncthreads();)");
    if (atomics) {
        text.write(R"(
            // Only the first and the last row can have entries in other tiles.
            for (int $i = $t; $i < $count; $i += @BLOCK) {
            if ($i > 0) y[$first + $i] = $total[$i];
            else atomicAdd(&y[$first], $total[0]);
            }
            if ($t == 0 && $first + $count < $rows) atomicAdd(&y[$first + $count], $total[$count]);)");
        return;
    }
    text.write(R"(
        for (int $i = $t; $i < $count; $i += @BLOCK) y[$first + $i] = $total[$i];
        // The row that goes on in the next tile.
        if ($t == 0) {
        $carry_row[blockIdx.x] = $first + $count;
        $carry[blockIdx.x] = $total[$count];
        })");
    g.argument("int", "tiles", "tiles.count");
    g.argument("int", "rows", "rows");
    g.argument("const int*", "carry_row", "carry_row");
    g.argument("const float*", "carry", "carry");
    g.argument("float*", "y_out", "y");
    g.entry(text.expand("ceil_div(tiles.count, @BLOCK)"), text.expand("@BLOCK"),
            {"Adds what tiles carried out to the rows.", "Carries of the tiles."}, "fix");
    text.write(R"(
        int $i = blockIdx.x * blockDim.x + threadIdx.x;
        if ($i < $tiles && $carry_row[$i] < $rows && $carry[$i] != 0) atomicAdd(&$y_out[$carry_row[$i]], $carry[$i]);)");
}

std::optional<SpmvWork> workMergePath(const SpmvMatrix& m, const FamilyParameters& p)
{
    SpmvWork w;
    const double items = valueOf(p, "items");
    const double tile = valueOf(p, "block") * items;
    w.bytes = m.csrBytes(false);
    w.block = valueOf(p, "block");
    w.threads = (m.nnz + m.rows) / items;
    w.chain = w.typical = 5 + 0.4 * std::log2(tile) + items * 0.5;
    w.instructions = (m.nnz + m.rows) * 28 + w.threads * 60;
    w.inFlight = m.entry * items;
    w.launches = valueOf(p, "atomics") == 1 ? 1 : 2;
    w.zeroed = valueOf(p, "atomics");
    w.extra = 0.2;
    return w;
}

/// Row ends, products and totals of a tile.
std::int64_t tileBytes(const FamilyParameters& p, std::int64_t valueBytes)
{
    return p.at("block") * p.at("items") * (4 + 2 * valueBytes) + valueBytes;
}

int recogniseMergePath(const ProgramShape& program)
{
    return program.names({"tiles"}) ? 113 : 0;
}

} // namespace

KernelFamily mergePath()
{
    return {.family = {"S6",
                       "Merge path",
                       "Row ends and entries are merged into one path that blocks share evenly; good for any "
                       "skew and many empty rows.",
                       {{"block", "threads per block", {128, 64, 256}},
                        {"items", "row ends and entries per thread", {7, 4, 5, 10, 14}},
                        {"atomics",
                         "0: carries in a second launch; 1: y is zeroed and rows that tiles share are added",
                         {0, 1}},
                        streamParameter()},
                       {"tiles"}},
            .write = writeMerge,
            .recognise = recogniseMergePath,
            .rules =
                SpmvRules{.grids = {{{"block", {128, 64, 256}}, {"items", {7, 4, 10}}, {"atomics", {0, 1}}}},
                          .work = workMergePath,
                          .reason = reasonOfLongestRow,
                          .fits = {{.weights = {0.233, 0.633, 1.14, 2.76, 0.244, 0.533, 0.557, 0.0526, 0.693,
                                                1.14, 0.214, 0.612, 0, 0, 0.118},
                                    .tail = 0.0984,
                                    .factors = {{"items", 4, 1.07},
                                                {"items", 5, 0.956},
                                                {"items", 10, 0.96},
                                                {"items", 14, 1.04}}}}},
            .sharedBytes = tileBytes};
}

} // namespace sparserl::spmv
