// SPDX-License-Identifier: Apache-2.0
// Families that divide the non-zeros evenly instead of the rows.
#include "corpus/family_table.h"
#include "corpus/grammar.h"
#include "corpus/kernel_text.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

const FamilyParameter blockParameter = {"block", "threads per block", {128, 64, 256, 512}};
const FamilyParameter streamParameter = {"stream", "1: matrix data is read as used once (ld.cs)", {0, 1}};

/// Sums of lanes that end in the same row meet in the last of them, which adds them to y: `KEY` never falls
/// from lane to lane among lanes that hold entries.
constexpr std::string_view addByWarp = R"(
    // Lanes of one row add up in the last of them.
    for (int $offset = 1; $offset < 32; $offset *= 2) {
    float $a = __shfl_up_sync(0xffffffff, $sum, $offset);
    int $k = __shfl_up_sync(0xffffffff, @KEY, $offset);
    if ($lane >= $offset && $k == @KEY) $sum += $a;
    }
    int $next = __shfl_down_sync(0xffffffff, @KEY, 1);
    )";

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
    if (g.parameter("vector") == 4 && items % 4 == 0) {
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
    } else {
        text.write(R"(
            float $prod[@ITEMS];
            $unroll[@ITEMS]
            for (int $u = 0; $u < @ITEMS; $u++) {
            int $k = min($i + $u, $nnz - 1);
            $prod[$u] = $ld[$val;$k] * $x[$ld[$col;$k]];
            })");
    }
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

/// S9: a warp per CSR5 tile; lanes walk down columns of the tile and bit flags mark where rows start.
void writeCsr5(Grammar& g)
{
    const std::int64_t sigma = g.parameter("sigma");
    KernelText text(g);
    text.stream(g.parameter("stream") != 0);
    text.constant("BLOCK", g.parameter("block")).constant("SIGMA", sigma);
    g.format(fmt::format("csr5(sigma={})", sigma));
    writeClear(g, text);
    g.argument("int", "tiles", "csr5.tiles");
    g.argument("const unsigned int*", "flag", "csr5.flag");
    g.argument("const int*", "y_off", "csr5.y_off");
    g.argument("const int*", "tile_row", "csr5.tile_row");
    g.argument("const int*", "row_ids", "csr5.row_ids");
    g.matrixArguments("csr5");
    g.entry(text.expand("ceil_div(csr5.tiles, @BLOCK / 32)"), text.expand("@BLOCK"),
            {"CSR5: one warp per tile.", "Segmented sums of transposed tiles.",
             "Bit flags mark where rows start in a tile."});
    text.write(R"(
        int $tile = blockIdx.x * (@BLOCK / 32) + threadIdx.x / 32;
        int $lane = threadIdx.x % 32;
        if ($tile >= $tiles) return;
        unsigned int $bits = $flag[$tile * 32 + $lane];
        // The row, counted in non-empty ones, that goes on into this lane.
        int $at = $tile_row[$tile] - (int)(__shfl_sync(0xffffffff, $bits, 0) & 1) + $y_off[$tile * 32 + $lane];
        int $i = $tile * (32 * @SIGMA) + $lane;
        bool $shared = true;
        float $sum = 0;
        $unroll[@SIGMA]
        for (int $u = 0; $u < @SIGMA; $u++) {
        float $a = $ld[$val;$i + $u * 32] * $x[$ld[$col;$i + $u * 32]];
        if ($bits >> $u & 1) {
        if ($u > 0 && $shared) atomicAdd(&y[$row_ids[$at]], $sum);
        else if ($u > 0) y[$row_ids[$at]] = $sum;
        $shared = false;
        $sum = 0;
        $at++;
        }
        $sum += $a;
        })");
    text.set("KEY", g.name("at"));
    text.write(addByWarp);
    text.write("if ($lane == 31 || $next != $at) atomicAdd(&y[$row_ids[$at]], $sum);");
}

} // namespace

std::vector<FamilyEntry> nonzeroFamilies()
{
    return {
        {{"S6",
          "Merge path",
          "Row ends and entries are merged into one path that blocks share evenly; good for any skew and "
          "many "
          "empty rows.",
          {{"block", "threads per block", {128, 64, 256}},
           {"items", "row ends and entries per thread", {7, 4, 5, 10, 14}},
           {"atomics",
            "0: carries in a second launch; 1: y is zeroed and rows that tiles share are added",
            {0, 1}},
           streamParameter},
          {"tiles"}},
         writeMerge},
        {{"S7",
          "Non-zero split",
          "Threads take equally many neighbouring entries; rows that threads share are added by atomics to a "
          "zeroed "
          "y; good for heavy tails.",
          {blockParameter,
           {"items", "entries per thread", {8, 2, 4, 16}},
           {"combine", "1: sums of one row are added up in the warp first", {1, 0}},
           {"search", "0: first rows are found once, beforehand; 1: by each thread, on every call", {0, 1}},
           {"vector", "entries per load", {4, 1}},
           clearParameter(),
           streamParameter},
          {}},
         writeSplit},
        {{"S8",
          "COO",
          "Coordinates of every entry, added to a zeroed y by atomics; good for hypersparse matrices.",
          {blockParameter,
           {"items", "entries per thread", {4, 1, 2, 8, 16}},
           {"reduce", "before atomics: 1: segmented sums of a warp; 0: none; 2: runs of a thread", {1, 0, 2}},
           clearParameter(),
           streamParameter},
          {"coo"}},
         writeCoo},
        {{"S9",
          "CSR5",
          "Transposed tiles of 32 columns with bit flags for row starts; good for irregular matrices that "
          "are used "
          "often.",
          {{"block", "threads per block", {128, 64, 256}},
           {"sigma", "entries per lane and tile", {16, 4, 8, 12, 24, 32}},
           clearParameter(),
           streamParameter},
          {"csr5"}},
         writeCsr5},
    };
}

} // namespace sparserl
