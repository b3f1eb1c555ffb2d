// SPDX-License-Identifier: Apache-2.0
// S9: a warp per CSR5 tile.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv/entry_sums.h"
#include "corpus/spmv/reasons.h"
#include "corpus/spmv_work.h"

#include <fmt/format.h>

namespace sparserl::spmv {

namespace {

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

std::optional<SpmvWork> workCsr5(const SpmvMatrix& m, const FamilyParameters& p)
{
    const double sigma = valueOf(p, "sigma");
    SpmvWork w = m.entryWork(p, sigma, 0.1);
    w.bytes = m.nnz * m.entry + m.nnz / sigma * 8;
    w.instructions = m.nnz * 14 + w.threads * 60;
    const double atomics = w.threads / 4 + m.rows; // One per thread and one per row at least.
    w.extra = atomics * 0.0004 * m.device.atomic;
    return w;
}

int recogniseCsr5(const ProgramShape& program)
{
    return program.names({"csr5"}) ? 114 : 0;
}

} // namespace

KernelFamily csr5()
{
    return {.family = {"S9",
                       "CSR5",
                       "Transposed tiles of 32 columns with bit flags for row starts; good for irregular "
                       "matrices that are used often.",
                       {{"block", "threads per block", {128, 64, 256}},
                        {"sigma", "entries per lane and tile", {16, 4, 8, 12, 24, 32}},
                        clearParameter(),
                        streamParameter()},
                       {"csr5"}},
            .write = writeCsr5,
            .recognise = recogniseCsr5,
            .rules =
                SpmvRules{.grids = {{{"block", {128, 64, 256}}, {"sigma", {4, 8, 16, 24}}, {"clear", {1}}}},
                          .work = workCsr5,
                          .reason = reasonOfLongestRow,
                          .fits = {{.weights = {0, 0.738, 1.33, 4.78, 0.204, 0.513, 0.552, 0.0615, 0.761,
                                                1.25, 0.164, 0.585, 0.0162, 0.514, 0.128},
                                    .tail = -0.0307,
                                    .factors = {{"sigma", 4, 0.752},
                                                {"sigma", 8, 0.896},
                                                {"sigma", 16, 1.06},
                                                {"sigma", 24, 1.15},
                                                {"sigma", 32, 1.22}}}},
                          .apart = 1}};
}

} // namespace sparserl::spmv
