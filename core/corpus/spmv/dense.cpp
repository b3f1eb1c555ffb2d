// SPDX-License-Identifier: Apache-2.0
// dense: every entry is stored and none has an index.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv_work.h"

#include <cmath>
#include <fmt/format.h>

namespace sparserl::spmv {

namespace {

std::string reasonOfDensity(const MatrixFeatures& features)
{
    return fmt::format("{:.0f} % of the entries are there", 100 * features.density);
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

std::optional<SpmvWork> workDense(const SpmvMatrix& m, const FamilyParameters& p)
{
    SpmvWork w;
    w.bytes = m.value * m.rows * m.cols;
    if (!m.storable(w.bytes))
        return std::nullopt;
    const double lanes = valueOf(p, "lanes") == 0 ? valueOf(p, "block") : valueOf(p, "lanes");
    const double wide = valueOf(p, "vector") == 4 && m.features.cols % 4 == 0 ? 4 : 1;
    w.block = valueOf(p, "block");
    w.threads = m.rows * lanes;
    w.chain = w.typical =
        std::ceil(m.cols / lanes / wide / valueOf(p, "batch")) + 1 + m.shuffles(std::log2(lanes));
    w.instructions = m.rows * m.cols * (wide > 1 ? 2 : 5) + w.threads * 40;
    w.inFlight = m.value * wide * valueOf(p, "batch");
    w.gather = 0;
    return w;
}

int recogniseDense(const ProgramShape& program)
{
    return program.names({"dense"}) ? 101 : 0;
}

} // namespace

KernelFamily dense()
{
    return {.family = {"dense",
                       "Dense",
                       "Every entry is stored, zeros included, and nothing is indexed; good from half of the "
                       "entries on.",
                       {blockParameter(),
                        {"lanes", "threads per row; 0: a block", {32, 8, 16, 0}},
                        {"batch", "loads in flight together", {4, 1, 2, 8}},
                        {"vector", "entries per load where four divides the columns", {4, 1}},
                        streamParameter()},
                       {"dense"}},
            .write = writeDense,
            .recognise = recogniseDense,
            .rules = SpmvRules{
                .grids = {{{"block", {128, 256, 512}}, {"lanes", {32, 8, 16, 0}}, {"batch", {2, 4, 8}}}},
                .work = workDense,
                .reason = reasonOfDensity,
                .fits = {{.weights = {1.34, 0.645, 1.16, 0.608, 0.216, 0.465, 0.535, 0.0282, 0.664, 1.11,
                                      0.169, 0.522, 0.786, 0.378, 0.121},
                          .tail = 0.0104,
                          .factors = {{"batch", 1, 0.892},
                                      {"batch", 2, 0.957},
                                      {"batch", 8, 1.16},
                                      {"block", 128, 1.05},
                                      {"block", 512, 0.97},
                                      {"lanes", 0, 0.959},
                                      {"lanes", 8, 1.15},
                                      {"lanes", 16, 0.946},
                                      {"lanes", 32, 0.961},
                                      {"stream", 0, 0.941},
                                      {"stream", 1, 1.06}}}}}};
}

} // namespace sparserl::spmv
