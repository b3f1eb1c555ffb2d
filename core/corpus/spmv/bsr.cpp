// SPDX-License-Identifier: Apache-2.0
// S14: dense blocks with one column index each.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv_work.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace sparserl::spmv {

namespace {

std::string reasonOfBlocks(const MatrixFeatures& features)
{
    return fmt::format("blocks of 2, 4 and 8 are filled by {:.0f}, {:.0f} and {:.0f} %",
                       100 * features.blockFill[0], 100 * features.blockFill[1], 100 * features.blockFill[2]);
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
        if (vector == 4) {
            text.write(R"(
                $mad[$part_sum;$a.z;$b.z]
                $mad[$part_sum;$a.w;$b.w])");
        }
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

std::optional<SpmvWork> workBsr(const SpmvMatrix& m, const FamilyParameters& p)
{
    SpmvWork w;
    const double b = valueOf(p, "b");
    const auto& fill = m.features.blockFill; // 2, 4, 8, 16
    const bool divides = m.features.rows % static_cast<std::int64_t>(b) == 0;
    // Blocks of other sizes leave their mark on those of two: perfect ones of 3, 5, 7 fill 0.7, 0.83,
    // 0.88 of them, those of 6 all.
    const double three = std::clamp((fill[0] - 0.35) / 0.35, 0.0, 1.0);
    const double full = b == 2     ? fill[0]
                        : b == 4   ? fill[1]
                        : b == 8   ? fill[2]
                        : b == 16  ? fill[3]
                        : !divides ? 0.0
                        : b == 3   ? three
                        : b == 6   ? 0.7 * three
                                   : std::clamp((fill[0] - 0.05 * b - 0.25) / 0.33, 0.0, 1.0);
    if (full < 0.15)
        return std::nullopt;
    const double groups = std::min(valueOf(p, "groups"), std::exp2(std::floor(std::log2(32 / b))));
    const double lanes = b * groups;
    const double entries = m.nnz / full;
    w.bytes = m.value * entries + 4 * entries / (b * b);
    w.block = valueOf(p, "block");
    w.threads = m.rows * groups * 32 / (std::floor(32 / lanes) * lanes);
    const double blocksMean = m.mean / full / b;
    const double round = groups * valueOf(p, "batch");
    w.typical = 2 + 2 * std::ceil(blocksMean / round);
    w.chain = 2 + 2 * std::ceil(m.longest / full / b / round);
    w.instructions = w.threads * 40 + entries * (valueOf(p, "vector") == 1 ? 4 : 7);
    w.inFlight = m.value * b * valueOf(p, "batch");
    w.gather = std::min(1.0, 1 / (full * b * b)); // One sector a block.
    return w;
}

int recogniseBsr(const ProgramShape& program)
{
    return program.names({"bsr"}) ? 106 : 0;
}

} // namespace

KernelFamily bsr()
{
    return {
        .family = {"S14",
                   "BSR",
                   "Dense blocks with one column index each; good where non-zeros come in blocks, as "
                   "unknowns of a mesh node do.",
                   {blockParameter(),
                    {"b", "rows and columns of a dense block", {4, 2, 3, 5, 6, 7, 8, 16}},
                    {"groups", "blocks of a block row at a time, as far as a warp holds them", {4, 1, 2, 8}},
                    {"vector", "1: blocks and x are read by 2 or 4 floats where that divides b", {1, 0}},
                    {"batch", "blocks whose loads are in flight together", {2, 1, 4}},
                    streamParameter()},
                   {"bsr"}},
        .write = writeBsr,
        .recognise = recogniseBsr,
        .rules = SpmvRules{.grids = {{{"block", {128, 64, 256}},
                                      {"b", {4, 2, 3, 5, 6, 7, 8, 16}},
                                      {"groups", {1, 2, 4, 8}},
                                      {"batch", {1, 2, 4}},
                                      {"vector", {1}}}},
                           .work = workBsr,
                           .reason = reasonOfBlocks,
                           .fits = {{.weights = {1.82, 0.611, 1.1, 0.84, 0.206, 0.434, 0.498, 0.03, 0.664,
                                                 1.05, 0.17, 0.482, 0.745, 0, 0.0885},
                                     .tail = 0.28,
                                     .factors = {{"b", 2, 0.955},
                                                 {"b", 3, 0.936},
                                                 {"b", 5, 1.19},
                                                 {"b", 8, 0.923},
                                                 {"batch", 2, 0.929},
                                                 {"batch", 4, 1.09},
                                                 {"block", 64, 1.04},
                                                 {"block", 512, 0.949},
                                                 {"groups", 1, 1.04},
                                                 {"groups", 4, 0.968},
                                                 {"vector", 0, 0.957},
                                                 {"vector", 1, 1.04}}}}}};
}

} // namespace sparserl::spmv
