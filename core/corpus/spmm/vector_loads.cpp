// SPDX-License-Identifier: Apache-2.0
// M4: vector loads of B, a part of a warp per row.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/groups.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/reasons.h"
#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

namespace sparserl::spmm {

namespace {

/// M4
void writeGroups(Grammar& g)
{
    SpmmWriter::Shape shape = groupShape(g);
    shape.stream = g.parameter("stream") != 0;
    SpmmWriter w(g, shape);
    csrArguments(g);
    w.entry(w.grid("rows"), groupComments(w.shape()));
    Rows rows;
    rows.entries = csrEntries(g, g.name("row"));
    rows.spread = g.parameter("spread") != 0;
    if (shape.stream) { // A is read once: it should not push B out of the caches.
        rows.entries.column = [&g](const std::string& i) { return "__ldcs(&" + element(g, "col", i) + ")"; };
        rows.entries.value = [&g](const std::string& i) { return "__ldcs(&" + element(g, "val", i) + ")"; };
    }
    writeGroupBody(g, w, "blockIdx.x", rows);
}

std::optional<SpmmWork> workVectorLoads(const SpmmProgram& program)
{
    return program.rowGroups();
}

int recogniseVectorLoads(const ProgramShape& program)
{
    return program.kernel && program.vectorLoads ? 30 : 0;
}

} // namespace

KernelFamily vectorLoads()
{
    return {.family = {"M4",
                       "Vector loads, part of a warp per row",
                       "Lanes that read 8 or 16 bytes each cover a row of B, and several such sets share a "
                       "row of A; good for short and medium rows.",
                       {blockParameter(),
                        acrossParameter(),
                        vecParameter({4, 2}),
                        lanesParameter(),
                        unrollParameter(),
                        batchesParameter(),
                        {"spread", "1: each step of the reduction halves what a lane holds", {0, 1}},
                        {"stream", "1: A and C pass the caches by, which are left to B", {0, 1}}},
                       {}},
            .write = writeGroups,
            .recognise = recogniseVectorLoads,
            .rules = SpmmRules{.grids = {{{"block", {128, 64, 256, 512}},
                                          {"across", {2, 4, 8, 1}},
                                          {"vec", {4, 2}},
                                          {"lanes", {8, 2, 4, 16, 32}},
                                          {"unroll", {4, 1, 2, 8}},
                                          {"batch", {1, 0, 2}}},
                                         {{"block", {128, 256}},
                                          {"across", {2, 4, 8, 1}},
                                          {"vec", {4, 2}},
                                          {"lanes", {8, 2, 4, 16, 32}},
                                          {"unroll", {4}},
                                          {"batch", {1, 0}},
                                          {"stream", {1}}}},
                               .work = workVectorLoads,
                               .reason = reasonOfLengths,
                               .fits = {{.weights = {1.45, 0.741, 2.18, 0.836, 0.519, 1.34, 0.327, 0.012,
                                                     0.63, 0.0448, 0, 0.584, 0.0261, 0.208, 0.465, 0.408},
                                         .tail = 0.331,
                                         .factors = {{"across", 1, 1.05},
                                                     {"across", 8, 0.945},
                                                     {"batch", 2, 1.03},
                                                     {"block", 512, 0.96},
                                                     {"stream", 0, 0.967},
                                                     {"stream", 1, 1.03},
                                                     {"unroll", 1, 0.833},
                                                     {"unroll", 2, 0.924},
                                                     {"unroll", 4, 1.05},
                                                     {"unroll", 8, 1.24}}}}}};
}

} // namespace sparserl::spmm
