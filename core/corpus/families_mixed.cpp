// SPDX-License-Identifier: Apache-2.0
// Families that treat rows of different lengths differently, and the one that walks columns.
#include "corpus/family_table.h"
#include "corpus/grammar.h"
#include "corpus/kernel_text.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

const FamilyParameter blockParameter = {"block", "threads per block", {128, 64, 256, 512}};
const FamilyParameter batchParameter = {
    "batch", "entries whose loads are in flight together, predicated; 1: a plain loop", {4, 1, 2, 8}};
const FamilyParameter streamParameter = {"stream", "1: matrix data is read as used once (ld.cs)", {0, 1}};

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

/// Arguments of the arrays of one bin of rows; roles are the bin's name and the array's.
void binArguments(Grammar& g, const std::string& bin, bool narrow)
{
    const std::string part = bin + "_rows";
    const std::string data = narrow ? bin : part;
    g.argument("int", part, part + ".rows");
    g.argument("const int*", bin + "_ids", part + ".row_ids");
    g.argument("const int*", bin + "_ptr", data + ".row_ptr");
    if (narrow) {
        g.argument("const int*", bin + "_base", data + ".base");
        g.argument("const unsigned short*", bin + "_col", data + ".off");
    } else {
        g.argument("const int*", bin + "_col", data + ".col");
    }
    g.argument("const float*", bin + "_val", data + ".val");
}

/// The share of one lane in a row, as a function of its own that all bins call.
void writeDotFunction(Grammar& g, KernelText& text, bool narrow)
{
    g.function(
        text.expand(fmt::format("static __device__ float $dot(int $from, int $to, int $step, const {}* $col, "
                                "const float* $val, {}const float* x)",
                                narrow ? "unsigned short" : "int", narrow ? "int $start, " : "")));
    text.write("float $sum = 0;");
    writeRowSum(g, text,
                {g.name("from"), g.name("to"), g.name("step"), g.parameter("batch"), g.name("col"),
                 g.name("val"), narrow ? g.name("start") : std::string(), g.name("sum"),
                 g.parameter("predicate") != 0});
    text.write("return $sum;");
}

/// The rows of one bin: `at` is the row's place in it, `lane` of `step` threads share it.
std::string dotOf(Grammar& g, const std::string& bin, bool narrow, const std::string& at,
                  const std::string& lane, const std::string& step)
{
    const std::string& pointer = g.name(bin + "_ptr");
    return fmt::format("{0}({1}[{2}] + {3}, {1}[{2} + 1], {4}, {5}, {6}, {7}x)", g.name("dot"), pointer, at,
                       lane, step, g.name(bin + "_col"), g.name(bin + "_val"),
                       narrow ? fmt::format("{}[{}], ", g.name(bin + "_base"), at) : "");
}

void writeLongRow(Grammar& g, KernelText& text, bool narrow)
{
    const bool split = g.parameter("split") > 1;
    text.set("DOT", split
                        ? dotOf(g, "long", narrow, g.name("row"),
                                text.expand("$t + $block % @SPLIT * @BLOCK"), text.expand("@BLOCK * @SPLIT"))
                        : dotOf(g, "long", narrow, g.name("block"), g.name("t"), text.expand("@BLOCK")));
    text.set("OUT", split ? text.expand("$split_sums[$block]") : text.expand("y[$out]"));
    text.write(split ? "int $row = $block / @SPLIT;" : "int $out = @EARLY($long_ids)[$block];");
    text.write(R"(
        float $sum = @DOT;
        $reduce[16;1]
        if ($t % 32 == 0) $partial[$t / 32] = $sum;
        __syncthreads();
        if ($t < 32) {
        $sum = $t < @BLOCK / 32 ? $partial[$t] : 0;
        $reduce[16;1]
        if ($t == 0) @OUT = $sum;
        })");
}

void writeMiddleRow(Grammar& g, KernelText& text, bool narrow)
{
    text.set("DOT", dotOf(g, "mid", narrow, g.name("row"), text.expand("$t % 32"), "32"));
    text.write(R"(
        int $row = $block * (@BLOCK / 32) + $t / 32;
        if ($row >= $mid_rows) return;
        int $out = @EARLY($mid_ids)[$row];
        float $sum = @DOT;
        $reduce[16;1]
        if ($t % 32 == 0) y[$out] = $sum;)");
}

void writeShortRow(Grammar& g, KernelText& text, bool narrow)
{
    const bool alone = g.parameter("lanes") == 1;
    text.set("DOT", dotOf(g, "short", narrow, g.name("row"), alone ? "0" : text.expand("$t % @T"),
                          text.expand("@T")));
    text.write(R"(
        int $row = $block * (@BLOCK / @T) + $t / @T;
        if ($row >= $short_rows) return;
        int $out = @EARLY($short_ids)[$row];
        float $sum = @DOT;)");
    if (alone) {
        text.write("y[$out] = $sum;");
        return;
    }
    text.write(R"(
        $reduce[@T / 2;1;@T]
        if ($t % @T == 0) y[$out] = $sum;)");
}

/// S15 with bins: one launch whose first blocks take the longest rows, or a launch per bin.
void writeBins(Grammar& g)
{
    const bool fused = g.parameter("mode") == 0;
    const bool narrow = g.parameter("index16") != 0;
    KernelText text(g);
    text.stream(g.parameter("stream") != 0);
    text.constant("BLOCK", g.parameter("block")).constant("T", g.parameter("lanes"));
    // Volatile, so that the load of a row's number starts before its sum and not behind it.
    text.set("EARLY", "reinterpret_cast<const volatile int*>");
    g.part(fmt::format("long_rows = rows with length in [{}, inf)", g.parameter("long")));
    g.part(fmt::format("mid_rows = rows with length in [{}, {})", g.parameter("short"), g.parameter("long")));
    g.part(fmt::format("short_rows = rows with length in [0, {})", g.parameter("short")));
    if (narrow) {
        for (const char* bin : {"long", "mid", "short"})
            g.format(fmt::format("{0} = csr16 of {0}_rows", bin));
    }
    const bool split = g.parameter("split") > 1;
    if (split) {
        text.constant("SPLIT", g.parameter("split"));
        g.buffer(text.expand("scratch split_sums f32[long_rows.rows * @SPLIT]"));
    }
    const std::string large = split ? text.expand("long_rows.rows * @SPLIT") : "long_rows.rows";
    const std::string middle = text.expand("ceil_div(mid_rows.rows, @BLOCK / 32)");
    const std::string small = text.expand("ceil_div(short_rows.rows, @BLOCK / @T)");
    writeDotFunction(g, text, narrow);
    if (fused) {
        for (const char* bin : {"long", "mid", "short"})
            binArguments(g, bin, narrow);
        g.vectorArguments();
        if (split)
            g.argument("float*", "split_sums", "split_sums");
        g.entry(fmt::format("{} + {} + {}", large, middle, small), text.expand("@BLOCK"),
                {"Rows in bins by length: blocks, warps and parts of warps, in one launch.",
                 "The first blocks take the longest rows.", "Each block picks its bin from its number."},
                "kernel", g.parameter("block") > 512);
        text.set("LONG_BLOCKS", text.expand(split ? "$long_rows * @SPLIT" : "$long_rows"));
        text.write(R"(
            __shared__ float $partial[32];
            int $t = threadIdx.x, $block = blockIdx.x;
            if ($block < @LONG_BLOCKS) {
            // Whole blocks for the longest rows.)");
        writeLongRow(g, text, narrow);
        text.write(R"(
            return;
            }
            $block -= @LONG_BLOCKS;
            int $blocks = ($mid_rows + @BLOCK / 32 - 1) / (@BLOCK / 32);
            if ($block < $blocks) {
            // Warps.)");
        writeMiddleRow(g, text, narrow);
        text.write(R"(
            return;
            }
            $block -= $blocks;
            // Parts of warps.)");
        writeShortRow(g, text, narrow);
        if (split)
            writeSplitSums(g, text, "long_rows.rows", "long_rows.row_ids");
        return;
    }
    binArguments(g, "long", narrow);
    g.vectorArguments();
    if (split)
        g.argument("float*", "split_sums", "split_sums");
    g.entry(large, text.expand("@BLOCK"), {"A block per long row.", "Long rows."}, "long_kernel",
            g.parameter("block") > 512);
    text.write(R"(
        __shared__ float $partial[32];
        int $t = threadIdx.x, $block = blockIdx.x;)");
    writeLongRow(g, text, narrow);
    if (split)
        writeSplitSums(g, text, "long_rows.rows", "long_rows.row_ids");
    binArguments(g, "mid", narrow);
    g.vectorArguments();
    g.entry(middle, text.expand("@BLOCK"), {"A warp per row of medium length.", "Medium rows."}, "mid_kernel",
            g.parameter("block") > 512);
    text.write("int $t = threadIdx.x, $block = blockIdx.x;");
    writeMiddleRow(g, text, narrow);
    binArguments(g, "short", narrow);
    g.vectorArguments();
    g.entry(small, text.expand("@BLOCK"), {"A part of a warp per short row.", "Short rows."}, "short_kernel",
            g.parameter("block") > 512);
    text.write("int $t = threadIdx.x, $block = blockIdx.x;");
    writeShortRow(g, text, narrow);
}

/// S15 with tickets: warps draw the next rows, longest first, until none are left.
void writeTickets(Grammar& g)
{
    const bool narrow = g.parameter("index16") != 0;
    KernelText text(g);
    text.stream(g.parameter("stream") != 0);
    text.constant("BLOCK", g.parameter("block"))
        .constant("T", g.parameter("lanes"))
        .constant("CHUNK", 32 / g.parameter("lanes"));
    g.format("order");
    if (narrow)
        g.format("csr16");
    g.buffer("scratch ticket i32[1] zero");
    g.argument("int", "rows", "rows");
    g.argument("int*", "ticket", "ticket");
    g.argument("const int*", "row_ids", "order.row_ids");
    g.argument("const int*", "row_ptr", narrow ? "csr16.row_ptr" : "csr.row_ptr");
    if (narrow) {
        g.argument("const int*", "base", "csr16.base");
        g.argument("const unsigned short*", "off", "csr16.off");
        g.argument("const float*", "val", "csr16.val");
        g.vectorArguments();
    } else {
        g.matrixArguments("csr");
    }
    g.entry(text.expand("min(ceil_div(rows, @BLOCK / 32 * @CHUNK), sm_count * 8)"), text.expand("@BLOCK"),
            {"Warps draw rows by ticket, longest first.",
             "A queue of rows: who is ready takes the next ones.", "Dynamic distribution of rows."},
            "kernel", g.parameter("block") > 512);
    text.write(R"(
        int $lane = threadIdx.x % 32;
        int $first = 0;
        while ($first < $rows) {
        if ($lane == 0) $first = atomicAdd(&$ticket[0], @CHUNK);
        $first = __shfl_sync(0xffffffff, $first, 0);
        for (int $p = 0; $p < @CHUNK; $p += 32 / @T) {
        int $at = $first + $p + $lane / @T;
        float $sum = 0;
        int $row = -1;
        if ($at < $rows) {
        $row = $row_ids[$at];)");
    if (narrow)
        text.write("int $start = $base[$row];");
    writeRowSum(g, text,
                {text.expand("$row_ptr[$row] + $lane % @T"), text.expand("$row_ptr[$row + 1]"),
                 text.expand("@T"), g.parameter("batch"), g.name(narrow ? "off" : "col"), g.name("val"),
                 narrow ? g.name("start") : std::string(), g.name("sum"), g.parameter("predicate") != 0});
    text.write("}");
    if (g.parameter("lanes") > 1)
        text.write("$reduce[@T / 2;1;@T]");
    text.write(R"(
        if ($row >= 0 && $lane % @T == 0) y[$row] = $sum;
        }
        })");
}

void writeBinning(Grammar& g)
{
    if (g.parameter("mode") == 2)
        writeTickets(g);
    else
        writeBins(g);
}

/// S17: columns scatter x_j times their entries into y.
void writeCsc(Grammar& g)
{
    KernelText text(g);
    text.stream(g.parameter("stream") != 0);
    text.constant("BLOCK", g.parameter("block")).constant("T", g.parameter("lanes"));
    g.format("csc");
    writeClear(g, text);
    g.argument("int", "cols", "cols");
    g.argument("const int*", "col_ptr", "csc.col_ptr");
    g.argument("const int*", "row_of", "csc.row");
    g.argument("const float*", "val", "csc.val");
    g.vectorArguments();
    g.entry(text.expand("ceil_div(cols, @BLOCK / @T)"), text.expand("@BLOCK"),
            {"CSC: columns scatter into y.", "Each element of x is read once.",
             "Lanes share a column; rows are added by atomics."});
    text.write(R"(
        int $c = blockIdx.x * (@BLOCK / @T) + $div[threadIdx.x;T];
        $guard[$c;$cols]
        float $b = $x[$c];
        int $end = $col_ptr[$c + 1];)");
    g.unroll(g.parameter("unroll"));
    text.write(R"(
        for (int $i = $col_ptr[$c] + $mod[threadIdx.x;T]; $i < $end; $i += @T) {
        atomicAdd(&y[$ld[$row_of;$i]], $ld[$val;$i] * $b);
        }
        $endguard)");
}

} // namespace

std::vector<FamilyEntry> mixedFamilies()
{
    return {
        {{"S12",
          "HYB (ELL and COO)",
          "Padded rows up to a width that most rows fit into, coordinates for what sticks out; good for few "
          "long "
          "rows.",
          {blockParameter,
           {"quantile", "per cent of rows that fit", {80, 50, 66, 90, 95, 99}},
           {"items", "coordinates per thread", {4, 1, 2, 8}},
           {"fused", "1: both parts in one launch, y zeroed; 0: two launches", {0, 1}},
           batchParameter,
           streamParameter},
          {"hyb"}},
         writeHyb},
        {{"S15",
          "Row binning",
          "Rows in bins by length, each with its own number of threads, or drawn by ticket; good for heavy "
          "tails.",
          {{"block", "threads per block", {256, 128, 512, 1024}},
           {"mode", "0: bins in one launch; 1: a launch per bin; 2: warps draw rows by ticket", {0, 1, 2}},
           {"short", "rows below this length are short", {32, 8, 16, 64, 128}},
           {"long", "rows from this length on have a block each", {512, 256, 1024, 2048, 4096}},
           {"lanes", "threads per short row, or per row with tickets", {8, 1, 2, 4, 16, 32}},
           batchParameter,
           predicateParameter(),
           splitParameter(),
           {"index16", "1: columns as 16-bit offsets from the row's first one (format csr16)", {0, 1}},
           streamParameter},
          {"parts", "order", "csr16"}},
         writeBinning},
        {{"S17",
          "CSC scatter",
          "Threads take columns and add to a zeroed y by atomics; good for few long columns or hypersparse "
          "rows.",
          {blockParameter,
           {"lanes", "threads per column", {4, 1, 2, 8, 16, 32}},
           {"unroll", "steps per branch", {1, 2, 4}},
           clearParameter(),
           streamParameter},
          {"csc"}},
         writeCsc},
    };
}

} // namespace sparserl
