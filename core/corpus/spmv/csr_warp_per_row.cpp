// SPDX-License-Identifier: Apache-2.0
// S3: a warp sums a row of CSR.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv/csr_rows.h"
#include "corpus/spmv/reasons.h"
#include "corpus/spmv_work.h"

namespace sparserl::spmv {

namespace {

std::optional<SpmvWork> workCsrWarpPerRow(const SpmvMatrix& m, const FamilyParameters& p)
{
    return m.rowWork(p, valueOf(p, "lanes"));
}

int recogniseCsrWarpPerRow(const ProgramShape& program)
{
    return program.kernel && program.lanesAddUp && (program.lanes <= 0 || program.lanes >= 32) ? 30 : 0;
}

} // namespace

KernelFamily csrWarpPerRow()
{
    return {.family = {"S3",
                       "CSR, warp per row",
                       "A warp shares a row and adds up by shuffles; good for rows of 32 entries and more.",
                       {blockParameter(),
                        {"lanes", "threads per row", {32}},
                        {"accumulators", "independent sums per thread, in the plain loop", {1, 2, 4}},
                        batchParameter(),
                        predicateParameter(),
                        vectorParameter(),
                        narrowParameter(),
                        streamParameter()},
                       {}},
            .write = writeVector,
            .recognise = recogniseCsrWarpPerRow,
            .rules =
                SpmvRules{.grids = {{{"block", {128, 64, 256, 512}},
                                     {"batch", {1, 2, 4, 8}},
                                     {"predicate", {0, 1}},
                                     {"index16", {0, 1}}},
                                    {{"block", {128, 64, 256, 512}}, {"vector", {4}}, {"index16", {0, 1}}}},
                          .work = workCsrWarpPerRow,
                          .reason = reasonOfMeanLength,
                          .fits = {{.weights = {0.817, 0.602, 1.08, 1.43, 0.186, 0.417, 0.466, 0.0246, 0.617,
                                                1.03, 0.164, 0.454, 0.735, 0, 0.0773},
                                    .tail = -0.299,
                                    .factors = {{"accumulators", 1, 1.03},
                                                {"batch", 1, 1.03},
                                                {"batch", 2, 0.952},
                                                {"batch", 4, 0.951},
                                                {"batch", 8, 1.07},
                                                {"block", 64, 1.07},
                                                {"block", 256, 0.959},
                                                {"block", 512, 0.964}}}}}};
}

} // namespace sparserl::spmv
