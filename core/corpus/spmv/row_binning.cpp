// SPDX-License-Identifier: Apache-2.0
// S15: rows in bins by length, or drawn by ticket.
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

SpmvWork binnedWork(const SpmvMatrix& m, const FamilyParameters& p)
{
    SpmvWork w;
    const double small = valueOf(p, "short");
    const double large = valueOf(p, "long");
    const double block = valueOf(p, "block");
    const double lanes = valueOf(p, "lanes");
    const bool narrow = isOn(p, "index16");
    w.bytes = m.csrBytes(narrow) + 4 * m.rows;
    w.block = block;
    // Shares of rows from the quantiles that are known.
    const auto below = [&](double length) {
        if (length > m.longest)
            return 1.0;
        if (length > static_cast<double>(m.features.rowQ99))
            return 0.995;
        if (length > static_cast<double>(m.features.rowQ80))
            return 0.9;
        return length > static_cast<double>(m.features.rowQ50) ? 0.65 : 0.3;
    };
    const double shortRows = m.rows * below(small);
    const double longRows = std::min(m.rows * (1 - below(large)), m.nnz / large);
    const double midRows = std::max(0.0, m.rows - shortRows - longRows);
    w.threads = shortRows * lanes + midRows * 32 + longRows * block * valueOf(p, "split");
    const double split = valueOf(p, "split");
    if (split > 1 && longRows > 0)
        w.launches = 2;
    const double reach = m.longest >= large   ? m.rounds(m.longest, block * split, p) + 0.5
                         : m.longest >= small ? m.rounds(m.longest, 32, p)
                                              : 0;
    const double ends = 1 + m.shuffles(5);
    const double middle = std::max(m.rounds(std::min(m.longest, small - 1), lanes, p),
                                   m.longest >= small ? m.rounds(std::min(m.longest, large - 1), 32, p) : 0);
    w.chain = ends + 2 * std::max(reach, middle);
    w.typical = ends + 2 * m.rounds(std::min(static_cast<double>(m.features.rowQ80), small), lanes, p);
    w.instructions = w.threads * 45 + m.nnz * 10;
    w.inFlight = std::max(2.0, valueOf(p, "batch")) * m.entryWith(narrow);
    // The rest of the entries after bins at the mean length of their rows.
    const double shortMean =
        std::min({small, m.mean, 0.5 * static_cast<double>(m.features.rowQ50 + m.features.rowQ80) + 0.5});
    const double others = std::max(0.0, m.nnz - shortRows * shortMean);
    const double longEntries = longRows > 0 ? others * 0.5 : 0;
    w.reads = (m.gathers(shortRows, shortMean, lanes, p) +
               (midRows > 0 ? m.gathers(midRows, (others - longEntries) / midRows, 32, p) : 0) +
               (longRows > 0 ? m.gathers(longRows, longEntries / longRows, block, p) : 0)) /
              std::max(m.nnz, 1.0);
    w.extra = 0.1;
    if (valueOf(p, "mode") == 1)
        w.launches += (midRows > 0 ? 1 : 0) + (longRows > 0 ? 1 : 0);
    return w;
}

SpmvWork ticketsWork(const SpmvMatrix& m, const FamilyParameters& p)
{
    SpmvWork w = m.rowWork(p, valueOf(p, "lanes"));
    w.zeroed = 1;
    w.threads = std::min(w.threads, m.device.sms * 8 * w.block);
    w.extra += 0.5 + m.rows / 32 * 0.0008;
    w.instructions *= 1.2;
    return w;
}

std::optional<SpmvWork> workRowBinning(const SpmvMatrix& m, const FamilyParameters& p)
{
    return valueOf(p, "mode") == 2 ? ticketsWork(m, p) : binnedWork(m, p);
}

int recogniseRowBinning(const ProgramShape& program)
{
    return program.parts ? 200 : program.names({"order"}) ? 100 : 0;
}

} // namespace

KernelFamily rowBinning()
{
    return {.family = {"S15",
                       "Row binning",
                       "Rows in bins by length, each with its own number of threads, or drawn by ticket; "
                       "good for heavy tails.",
                       {{"block", "threads per block", {256, 128, 512, 1024}},
                        {"mode",
                         "0: bins in one launch; 1: a launch per bin; 2: warps draw rows by ticket",
                         {0, 1, 2}},
                        {"short", "rows below this length are short", {32, 8, 16, 64, 128}},
                        {"long", "rows from this length on have a block each", {512, 256, 1024, 2048, 4096}},
                        {"lanes", "threads per short row, or per row with tickets", {8, 1, 2, 4, 16, 32}},
                        batchParameter(4),
                        predicateParameter(),
                        splitParameter(),
                        narrowParameter(),
                        streamParameter()},
                       {"parts", "order", "csr16"}},
            .write = writeBinning,
            .recognise = recogniseRowBinning,
            .rules = SpmvRules{.grids = {{{"block", {256, 128, 512, 1024}},
                                          {"mode", {0, 1}},
                                          {"short", {8, 16, 32, 64, 128}},
                                          {"long", {256, 512, 1024, 2048, 4096}},
                                          {"lanes", {1, 2, 4, 8, 16}},
                                          {"batch", {2, 4, 8}},
                                          {"predicate", {0, 1}},
                                          {"index16", {0, 1}}},
                                         {{"block", {128, 256}},
                                          {"short", {32, 64, 128}},
                                          {"long", {512}},
                                          {"lanes", {8, 16}},
                                          {"batch", {1}},
                                          {"index16", {0, 1}}},
                                         {{"block", {256, 512}},
                                          {"short", {16, 32}},
                                          {"long", {1024, 2048, 4096}},
                                          {"lanes", {1, 2, 4}},
                                          {"batch", {4, 8}},
                                          {"predicate", {1}},
                                          {"split", {4, 8, 16}},
                                          {"index16", {0, 1}}}},
                               .work = workRowBinning,
                               .reason = reasonOfLongestRow,
                               .fits = {{.weights = {4.55, 1.19, 4.26, 1.25, 0.377, 0.872, 0.928, 0.0902,
                                                     1.26, 2.06, 0.399, 0.949, 2.24, 0.262, 0.23},
                                         .tail = 0.104,
                                         .factors = {{"batch", 2, 0.957},
                                                     {"lanes", 1, 0.902},
                                                     {"lanes", 2, 0.961},
                                                     {"lanes", 8, 1.06},
                                                     {"lanes", 16, 1.09},
                                                     {"lanes", 32, 1.08},
                                                     {"long", 1024, 1.03}},
                                         .parameter = "mode",
                                         .value = 2},
                                        {.weights = {1.05, 0.478, 1.01, 1.1, 0.184, 0.408, 0.45, 0.0359,
                                                     0.585, 0.984, 0.156, 0.453, 0, 0, 0.069},
                                         .tail = 0.0427,
                                         .factors = {{"batch", 4, 1.05},
                                                     {"batch", 8, 1.17},
                                                     {"block", 128, 0.936},
                                                     {"block", 256, 0.958},
                                                     {"block", 1024, 1.1}}}}}};
}

} // namespace sparserl::spmv
