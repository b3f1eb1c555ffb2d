// SPDX-License-Identifier: Apache-2.0
// Families whose thread blocks work on a piece of the matrix in shared memory or on dense blocks.
#include "corpus/family_table.h"
#include "corpus/grammar.h"
#include "corpus/kernel_text.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace sparserl {

namespace {

const FamilyParameter blockParameter = {"block", "threads per block", {128, 64, 256, 512}};
const FamilyParameter streamParameter = {"stream", "1: matrix data is read as used once (ld.cs)", {0, 1}};

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

/// S14: b lanes take the rows of a block, groups of them the blocks of a block row.
void writeBsr(Grammar& g)
{
    const std::int64_t b = g.parameter("b");
    const auto most = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(32 / b)));
    const std::int64_t groups = std::min(g.parameter("groups"), most);
    const std::int64_t vector = g.parameter("vector") == 0 ? 1 : b % 4 == 0 ? 4 : b % 2 == 0 ? 2 : 1;
    KernelText text(g);
    text.stream(g.parameter("stream") != 0);
    text.constant("BLOCK", g.parameter("block")).constant("EDGE", b);
    text.set("G", groups).set("L", b * groups).set("V", vector).set("PER", 32 / (b * groups));
    text.set("FLOATS", fmt::format("float{}", vector)).set("N", g.parameter("batch"));
    g.format(fmt::format("bsr(block={})", b));
    g.argument("int", "rows", "rows");
    g.argument("int", "cols", "cols");
    g.argument("int", "block_rows", "bsr.block_rows");
    g.argument("const int*", "row_ptr", "bsr.row_ptr");
    g.matrixArguments("bsr");
    g.entry(text.expand("ceil_div(bsr.block_rows, @BLOCK / 32 * @PER)"), text.expand("@BLOCK"),
            {fmt::format("BSR: dense blocks of {0} x {0}.", b), "One column index per dense block.",
             "Lanes share the blocks of a block row."});
    text.write(R"(
        int $lane = threadIdx.x % 32;
        int $w = $lane % @L;
        int $at = (blockIdx.x * (@BLOCK / 32) + threadIdx.x / 32) * @PER + $lane / @L;
        int $r = $w % @EDGE;
        float $sum = 0;
        if ($lane < @L * @PER && $at < $block_rows) {
        int $end = $row_ptr[$at + 1];
        // All blocks of a round are loaded together; what lies behind the end is not added.
        for (int $i = $row_ptr[$at] + $w / @EDGE; $i < $end; $i += @N * @G) {
        $unroll[@N]
        for (int $u = 0; $u < @N; $u++) {
        int $k = $i + $u * @G < $end ? $i + $u * @G : $i;
        int $c = $ld[$col;$k] * @EDGE;
        float $part_sum = 0;)");
    if (vector == 1) {
        text.write(R"(
            // Blocks at the edge reach beyond the last column.
            $unroll[@EDGE]
            for (int $j = 0; $j < @EDGE; $j++) {
            $mad[$part_sum; $ld[$val;($k * @EDGE + $r) * @EDGE + $j]; $x[min($c + $j, $cols - 1)]]
            })");
    } else {
        text.write(R"(
            // Blocks at the edge reach beyond the last column.
            if ($c + @EDGE <= $cols) {
            $unroll[@EDGE / @V]
            for (int $j = 0; $j < @EDGE; $j += @V) {
            @FLOATS $a = $ld[reinterpret_cast<const @FLOATS*>($val);(($k * @EDGE + $r) * @EDGE + $j) / @V];
            @FLOATS $b = reinterpret_cast<const @FLOATS*>(x)[($c + $j) / @V];
            $mad[$part_sum;$a.x;$b.x]
            $mad[$part_sum;$a.y;$b.y])");
        if (vector == 4)
            text.write(R"(
                $mad[$part_sum;$a.z;$b.z]
                $mad[$part_sum;$a.w;$b.w])");
        text.write(R"(
            }
            }
            else {
            for (int $j = 0; $j < $cols - $c; $j++) {
            $mad[$part_sum; $val[($k * @EDGE + $r) * @EDGE + $j]; $x[$c + $j]]
            }
            })");
    }
    text.write(R"(
        if ($i + $u * @G < $end) $sum += $part_sum;
        }
        }
        })");
    if (groups > 1)
        text.write("for (int $offset = @L / 2; $offset >= @EDGE; $offset /= 2) $sum += "
                   "__shfl_down_sync(0xffffffff, $sum, $offset);");
    text.write("if ($lane < @L * @PER && $w < @EDGE && $at < $block_rows && $at * @EDGE + $r < $rows) y[$at "
               "* @EDGE + $r] = "
               "$sum;");
}

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

/// Every entry stored: no index at all.
void writeDense(Grammar& g)
{
    const std::int64_t lanes = g.parameter("lanes");
    const std::int64_t block = g.parameter("block");
    const std::int64_t step = lanes == 0 ? block : lanes;
    KernelText text(g);
    text.stream(g.parameter("stream") != 0);
    text.constant("BLOCK", block).set("N", g.parameter("batch"));
    if (lanes == 0)
        text.set("T", text.expand("@BLOCK"));
    else
        text.constant("T", lanes);
    g.format("dense");
    g.argument("int", "rows", "rows");
    g.argument("int", "cols", "cols");
    g.argument("const float*", "val", "dense.val");
    g.vectorArguments();
    g.entry(lanes == 0 ? "rows" : text.expand("ceil_div(rows, @BLOCK / @T)"), text.expand("@BLOCK"),
            {"Dense: every entry is stored and none has an index.", "A plain matrix-vector product.",
             "Neighbouring lanes read neighbouring entries of a row."});
    if (lanes == 0)
        text.write("int $row = blockIdx.x, $lane = threadIdx.x;");
    else
        text.write(R"(
            int $row = blockIdx.x * (@BLOCK / @T) + threadIdx.x / @T;
            int $lane = threadIdx.x % @T;
            $guard[$row;$rows])");
    // 64 bits: rows * cols may exceed what an int holds.
    text.write(R"(
        const float* $line = $val + (long long)$row * $cols;
        float $sum = 0;)");
    const auto scalars = [&] {
        text.write(R"(
            for (int $i = $lane; $i < $cols; $i += @N * @T) {
            $unroll[@N]
            for (int $u = 0; $u < @N; $u++) {
            int $k = min($i + $u * @T, $cols - 1);
            $mad[$sum; ($i + $u * @T < $cols ? $ld[$line;$k] : 0.0f); $x[$k]]
            }
            })");
    };
    if (g.parameter("vector") == 4) {
        text.write(R"(
            // Rows start at multiples of 16 bytes if four divides the number of columns.
            if ($cols % 4 == 0) {
            for (int $i = $lane; $i < $cols / 4; $i += @N * @T) {
            $unroll[@N]
            for (int $u = 0; $u < @N; $u++) {
            int $k = $i + $u * @T < $cols / 4 ? $i + $u * @T : $i;
            float4 $a = $ld[reinterpret_cast<const float4*>($line);$k];
            float4 $b = reinterpret_cast<const float4*>(x)[$k];
            float $part_sum = $a.x * $b.x + $a.y * $b.y + $a.z * $b.z + $a.w * $b.w;
            if ($i + $u * @T < $cols / 4) $sum += $part_sum;
            }
            }
            }
            else {)");
        scalars();
        text.write("}");
    } else {
        scalars();
    }
    if (lanes != 0) {
        text.write(fmt::format("$reduce[{};1;{}]", step / 2, lanes == 32 ? "" : "@T"));
        text.write(R"(
            if ($lane == 0) y[$row] = $sum;
            $endguard)");
        return;
    }
    text.write(R"(
        __shared__ float $partial[32];
        $reduce[16;1]
        if ($lane % 32 == 0) $partial[$lane / 32] = $sum;
        __syncthreads();
        if ($lane < 32) {
        $sum = $lane < @BLOCK / 32 ? $partial[$lane] : 0;
        $reduce[16;1]
        if ($lane == 0) y[$row] = $sum;
        })");
}

} // namespace

std::vector<FamilyEntry> blockFamilies()
{
    return {
        {{"S5",
          "CSR-stream",
          "Blocks take consecutive rows with a bounded number of entries, multiply them in order and add up "
          "rows in "
          "shared memory; good for short rows of uneven length.",
          {{"block", "threads per block", {128, 64, 256, 512}},
           {"nnz", "most entries per block", {1024, 256, 512, 2048, 4096}},
           {"lanes", "threads that add up a row", {1, 2, 4, 8, 16, 32}},
           streamParameter},
          {"blocks"}},
         writeStream},
        {{"S14",
          "BSR",
          "Dense blocks with one column index each; good where non-zeros come in blocks, as unknowns of a "
          "mesh node "
          "do.",
          {blockParameter,
           {"b", "rows and columns of a dense block", {4, 2, 3, 5, 6, 7, 8, 16}},
           {"groups", "blocks of a block row at a time, as far as a warp holds them", {4, 1, 2, 8}},
           {"vector", "1: blocks and x are read by 2 or 4 floats where that divides b", {1, 0}},
           {"batch", "blocks whose loads are in flight together", {2, 1, 4}},
           streamParameter},
          {"bsr"}},
         writeBsr},
        {{"S18",
          "Column panels, x in shared memory",
          "Each block stages x panel by panel in shared memory; good for few columns and many entries per "
          "column.",
          {{"block", "threads per block", {256, 128, 512, 1024}},
           {"width", "columns per panel", {2048, 512, 1024, 4096, 8192}},
           {"lanes", "threads per row", {8, 1, 4, 16, 32}},
           {"rows", "rows per thread", {4, 1, 2, 8}},
           {"batch", "entries whose loads are in flight together", {4, 1, 2, 8}},
           streamParameter},
          {"panels"}},
         writePanels},
        {{"dense",
          "Dense",
          "Every entry is stored, zeros included, and nothing is indexed; good from half of the entries on.",
          {blockParameter,
           {"lanes", "threads per row; 0: a block", {32, 8, 16, 0}},
           {"batch", "loads in flight together", {4, 1, 2, 8}},
           {"vector", "entries per load where four divides the columns", {4, 1}},
           streamParameter},
          {"dense"}},
         writeDense},
    };
}

} // namespace sparserl
