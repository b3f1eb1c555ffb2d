// SPDX-License-Identifier: Apache-2.0
// M7: lanes on different entries of a row, single columns per load.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/groups.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/reasons.h"
#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <algorithm>

namespace sparserl::spmm {

namespace {

/// M7: as M4 with single columns per load, one or several of them per lane.
void writeParallel(Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.ways = std::max<std::int64_t>(2, g.parameter("lanes") / shape.across);
    shape.chunks = g.parameter("merge");
    SpmmWriter w(g, shape);
    csrArguments(g);
    w.entry(w.grid("rows"),
            {"Parallel reduction: lanes over the entries of a row.",
             "Lanes share a row and add up by shuffles.", "Each set of lanes takes every P-th entry."});
    Rows rows;
    rows.entries = csrEntries(g, g.name("row"));
    writeGroupBody(g, w, "blockIdx.x", rows);
}

std::optional<SpmmWork> workParallelReduction(const SpmmProgram& program)
{
    const SpmvMatrix& m = program.m;
    return program.groups(m.rows, std::max(2.0, program.ways()), m.nnz, program.typicalLength(), m.longest);
}

int recogniseParallelReduction(const ProgramShape& program)
{
    return program.kernel && program.shuffles ? 20 : 0;
}

} // namespace

KernelFamily parallelReduction()
{
    return {.family = {"M7",
                       "Parallel reduction",
                       "Lanes take different entries of a row and add up by shuffles; good for few columns, "
                       "or where they are not a multiple of 2.",
                       {blockParameter(),
                        {"across", "lanes side by side on columns", {4, 1, 2, 8}},
                        {"merge", "columns per lane", {1, 2, 4}},
                        {"lanes", "lanes per row", {32, 8, 16}},
                        unrollParameter(),
                        batchesParameter()},
                       {}},
            .write = writeParallel,
            .recognise = recogniseParallelReduction,
            .rules = SpmmRules{.grids = {{{"block", {128, 64, 256}},
                                          {"across", {4, 1, 2, 8}},
                                          {"merge", {1, 2, 4}},
                                          {"lanes", {32, 8, 16}},
                                          {"unroll", {4, 1, 2, 8}},
                                          {"batch", {1, 0, 2}}}},
                               .work = workParallelReduction,
                               .reason = reasonOfLengths,
                               .fits = {{.weights = {1.17, 0.716, 2.1, 1.09, 0.417, 1.22, 0.295, 0, 0.605,
                                                     0.0399, 0, 0.578, 0.971, 0.201, 0.445, 0.395},
                                         .tail = -0.06,
                                         .factors = {{"across", 2, 0.969},
                                                     {"batch", 0, 0.918},
                                                     {"batch", 2, 1.1},
                                                     {"unroll", 1, 0.856},
                                                     {"unroll", 2, 0.912},
                                                     {"unroll", 4, 1.12},
                                                     {"unroll", 8, 1.15}}}}}};
}

} // namespace sparserl::spmm
