// SPDX-License-Identifier: Apache-2.0
// M19: a block per row.
#include "corpus/families.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/groups.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <fmt/format.h>

namespace sparserl::spmm {

namespace {

/// M19: a block per row.
void writeBlocks(Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.ways = shape.block / shape.across;
    shape.vec = g.parameter("vec");
    shape.chunks = g.parameter("merge");
    SpmmWriter w(g, shape);
    g.argument("const int*", "row_ptr", "csr.row_ptr");
    g.matrixArguments("csr");
    w.entry(fmt::format("dim3(rows, {})", w.columnBlocks()),
            {"A block per row of A.", "The whole block shares a long row.",
             "Shuffles inside warps, then shared memory."});
    w.declarePartials(shape.chunks);
    const std::string& row = g.name("row");
    g.line(fmt::format("int {} = blockIdx.x;", row));
    w.declareColumn(g.remainder("threadIdx.x", w.across(), shape.across));
    w.declareChunks();
    w.declareSums();
    SpmmWriter::Entries entries = csrEntries(g, row);
    const std::string& i = g.name("i");
    const std::string& end = g.name("end");
    g.line(
        fmt::format("int {} = {} + {};", i, entries.begin,
                    shape.across == 1 ? "threadIdx.x" : g.quotient("threadIdx.x", w.across(), shape.across)));
    g.line(fmt::format("int {} = {} < {} ? {} : 0;", end, g.name("j"), g.name("dense_cols"), entries.end));
    entries.declared = true;
    entries.step = w.ways();
    entries.unroll = g.parameter("unroll");
    entries.batch = g.parameter("batch");
    w.entryLoop(entries);
    w.reduceBlock(w.sums());
    w.store(row, fmt::format("threadIdx.x < {}", w.across()));
}

std::optional<SpmmWork> workBlockPerRow(const SpmmProgram& program)
{
    const SpmvMatrix& m = program.m;
    return program.groups(m.rows, program.of("block") / program.across, m.nnz, program.typicalLength(),
                          m.longest);
}

std::string reasonOfRows(const MatrixFeatures& features, const TargetVariant&)
{
    return fmt::format("{} rows of mean length {:.0f}", features.rows, features.rowMean);
}

int recogniseBlockPerRow(const ProgramShape& program)
{
    return program.kernel && program.blockWaits ? 40 : 0;
}

} // namespace

KernelFamily blockPerRow()
{
    return {.family = {"M19",
                       "Block per row",
                       "A block shares a row and adds up by shuffles and in shared memory; good for few rows "
                       "of hundreds of entries.",
                       {{"block", "threads per block and row", {128, 64, 256}},
                        {"across", "lanes side by side on columns", {2, 4, 8}},
                        {"vec", "columns per load", {4, 1, 2}},
                        {"merge", "loads per lane and entry", {1, 2}},
                        unrollParameter(),
                        batchesParameter()},
                       {}},
            .write = writeBlocks,
            .recognise = recogniseBlockPerRow,
            .rules = SpmmRules{.grids = {{{"block", {128, 64, 256}},
                                          {"across", {2, 4, 8}},
                                          {"vec", {4, 2, 1}},
                                          {"merge", {1, 2}},
                                          {"unroll", {2, 4, 8}},
                                          {"batch", {1, 2}}}},
                               .work = workBlockPerRow,
                               .reason = reasonOfRows,
                               .fits = {{.weights = {1.15, 0.729, 2.14, 1.02, 0.381, 1.29, 0.311, 0.0236,
                                                     0.604, 0.0357, 0, 0.572, 0.201, 0.208, 0.446, 0.402},
                                         .tail = 0.0568,
                                         .factors = {{"across", 2, 1.06},
                                                     {"across", 8, 0.936},
                                                     {"batch", 0, 0.956},
                                                     {"batch", 2, 1.05},
                                                     {"unroll", 1, 0.921},
                                                     {"unroll", 2, 0.951},
                                                     {"unroll", 8, 1.12},
                                                     {"vec", 1, 1.1},
                                                     {"vec", 4, 0.92}}}}}};
}

} // namespace sparserl::spmm
