// SPDX-License-Identifier: Apache-2.0
// S17: columns scatter into y.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv/reasons.h"
#include "corpus/spmv_work.h"

#include <algorithm>
#include <cmath>

namespace sparserl::spmv {

namespace {

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

std::optional<SpmvWork> workCsc(const SpmvMatrix& m, const FamilyParameters& p)
{
    SpmvWork w;
    w.bytes = m.entry * m.nnz + 4 * m.cols;
    w.block = valueOf(p, "block");
    w.threads = m.cols * valueOf(p, "lanes");
    w.chain = w.typical = 3 + std::ceil(m.nnz / std::max(1.0, m.cols) / valueOf(p, "lanes"));
    w.instructions = w.threads * 25 + m.nnz * 9;
    w.zeroed = 1 - valueOf(p, "clear");
    w.launches = 1 + valueOf(p, "clear");
    w.extra = m.nnz * 0.0005 * m.device.atomic;
    return w;
}

int recogniseCsc(const ProgramShape& program)
{
    return program.names({"csc"}) ? 105 : 0;
}

} // namespace

KernelFamily csc()
{
    return {.family = {"S17",
                       "CSC scatter",
                       "Threads take columns and add to a zeroed y by atomics; good for few long columns or "
                       "hypersparse rows.",
                       {blockParameter(),
                        {"lanes", "threads per column", {4, 1, 2, 8, 16, 32}},
                        {"unroll", "steps per branch", {1, 2, 4}},
                        clearParameter(),
                        streamParameter()},
                       {"csc"}},
            .write = writeCsc,
            .recognise = recogniseCsc,
            .rules = SpmvRules{.grids = {{{"block", {128, 256}}, {"lanes", {1, 4, 16, 32}}, {"clear", {1}}}},
                               .work = workCsc,
                               .reason = reasonOfColumnLength,
                               .fits = {{.weights = {0.463, 0.88, 1.58, 2.74, 0.227, 0.531, 0.685, 0.0102,
                                                     0.813, 1.47, 0.235, 0.68, 0.0497, 0, 0.136},
                                         .tail = 0.185,
                                         .factors = {{"lanes", 2, 0.953},
                                                     {"lanes", 4, 1.04},
                                                     {"lanes", 8, 1.06},
                                                     {"lanes", 16, 1.03},
                                                     {"lanes", 32, 0.901},
                                                     {"unroll", 1, 1.03}}}}}};
}

} // namespace sparserl::spmv
