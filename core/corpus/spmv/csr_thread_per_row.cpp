// SPDX-License-Identifier: Apache-2.0
// S1: a thread sums a row of CSR.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv/csr_rows.h"
#include "corpus/spmv/reasons.h"
#include "corpus/spmv_work.h"

#include <fmt/format.h>

namespace sparserl::spmv {

namespace {

void writeScalar(Grammar& g)
{
    const std::string block = g.constant("BLOCK", g.parameter("block"));
    csrArguments(g, true);
    const bool vectors = g.parameter("vector") == 4;
    if (vectors)
        g.argument("int", "nnz", "nnz");
    g.entry(fmt::format("ceil_div(rows, {})", block), block,
            {"CSR-scalar: one thread per row.", "Each thread sums one short row.",
             "Thread per row: no reduction is needed."});
    g.line(fmt::format("int {} = blockIdx.x * blockDim.x + threadIdx.x;", g.name("row")));
    g.guard(g.name("row"), g.name("rows"));
    g.remark("The whole row is summed in a register.");
    if (vectors)
        sumByVectors(g, {}, {});
    else
        sumOfRow(g, {rowBegin(g), rowEnd(g), "1", g.parameter("unroll"), 1});
    g.line(fmt::format("y[{}] = {};", g.name("row"), g.name("sum")));
    g.endGuard();
}

std::optional<SpmvWork> workCsrThreadPerRow(const SpmvMatrix& m, const FamilyParameters& p)
{
    return m.rowWork(p, 1);
}

int recogniseCsrThreadPerRow(const ProgramShape& program)
{
    return program.kernel && !program.sharedMemory ? 10 : 0;
}

} // namespace

KernelFamily csrThreadPerRow()
{
    return {
        .family = {"S1",
                   "CSR, thread per row",
                   "Each thread sums one row in a register; good for rows of a few entries and equal length.",
                   {blockParameter(),
                    {"unroll", "steps of the plain inner loop per branch", {1, 2, 4, 8}},
                    batchParameter(),
                    predicateParameter(),
                    vectorParameter(),
                    narrowParameter(),
                    streamParameter()},
                   {}},
        .write = writeScalar,
        .recognise = recogniseCsrThreadPerRow,
        .rules = SpmvRules{.grids = {{{"block", {128, 64, 256, 512}},
                                      {"batch", {1, 2, 4, 8}},
                                      {"predicate", {0, 1}},
                                      {"index16", {0, 1}}},
                                     {{"block", {128, 64, 256, 512}}, {"vector", {4}}, {"index16", {0, 1}}}},
                           .work = workCsrThreadPerRow,
                           .reason = reasonOfMeanLength,
                           .fits = {{.weights = {1.45, 0.612, 1.1, 0.632, 0.18, 0.442, 0.421, 0.0762, 0.628,
                                                 1.06, 0.172, 0.485, 0.0825, 0, 0.0828},
                                     .tail = 0.276,
                                     .factors = {{"batch", 1, 1.11},
                                                 {"batch", 2, 0.877},
                                                 {"batch", 4, 0.945},
                                                 {"batch", 8, 1.08},
                                                 {"block", 64, 1.03},
                                                 {"block", 128, 0.96},
                                                 {"stream", 0, 0.97},
                                                 {"stream", 1, 1.03},
                                                 {"vector", 1, 1.06},
                                                 {"vector", 4, 1.05}}}}}};
}

} // namespace sparserl::spmv
