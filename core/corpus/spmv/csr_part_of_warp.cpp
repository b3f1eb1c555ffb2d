// SPDX-License-Identifier: Apache-2.0
// S2: a part of a warp sums a row of CSR.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv/csr_rows.h"
#include "corpus/spmv/reasons.h"
#include "corpus/spmv_work.h"

namespace sparserl::spmv {

namespace {

std::optional<SpmvWork> workCsrPartOfWarp(const SpmvMatrix& m, const FamilyParameters& p)
{
    return m.rowWork(p, valueOf(p, "lanes"));
}

int recogniseCsrPartOfWarp(const ProgramShape& program)
{
    return program.kernel && program.lanesAddUp && program.lanes > 0 && program.lanes < 32 ? 30 : 0;
}

} // namespace

KernelFamily csrPartOfWarp()
{
    return {
        .family = {"S2",
                   "CSR, part of a warp per row",
                   "2 to 16 lanes share a row and add up by shuffles; good for rows of about that length.",
                   {blockParameter(),
                    {"lanes", "threads per row", {8, 2, 4, 16}},
                    {"accumulators", "independent sums per thread, in the plain loop", {1, 2}},
                    batchParameter(),
                    predicateParameter(),
                    vectorParameter(),
                    narrowParameter(),
                    streamParameter()},
                   {}},
        .write = writeVector,
        .recognise = recogniseCsrPartOfWarp,
        .rules = SpmvRules{.grids = {{{"block", {128, 64, 256, 512}},
                                      {"lanes", {2, 4, 8, 16}},
                                      {"batch", {1, 2, 4, 8}},
                                      {"predicate", {0, 1}},
                                      {"index16", {0, 1}}},
                                     {{"block", {128, 64, 256, 512}},
                                      {"lanes", {2, 4, 8, 16}},
                                      {"vector", {4}},
                                      {"index16", {0, 1}}}},
                           .work = workCsrPartOfWarp,
                           .reason = reasonOfMeanLength,
                           .fits = {{.weights = {0.859, 0.574, 1.03, 1.3, 0.155, 0.388, 0.409, 0.0287, 0.585,
                                                 0.974, 0.15, 0.418, 0, 0, 0.0356},
                                     .tail = -0.0548,
                                     .factors = {{"batch", 1, 1.07},
                                                 {"batch", 2, 0.96},
                                                 {"batch", 4, 0.925},
                                                 {"batch", 8, 1.06},
                                                 {"block", 64, 1.04},
                                                 {"lanes", 2, 0.961},
                                                 {"lanes", 4, 0.965},
                                                 {"lanes", 16, 1.07}}}}}};
}

} // namespace sparserl::spmv
