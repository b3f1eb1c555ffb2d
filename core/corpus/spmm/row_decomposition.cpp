// SPDX-License-Identifier: Apache-2.0
// M11: short rows by groups of lanes, long rows by blocks.
#include "corpus/families.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/parts.h"
#include "corpus/spmm/reasons.h"
#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::spmm {

namespace {

/// M11: short rows by groups of lanes, long rows by blocks, in one launch or in two.
void writeParts(Grammar& g)
{
    const std::int64_t pieces = g.parameter("piece");
    g.part(fmt::format("low = rows with length in [0, {})", g.parameter("split")));
    g.part(fmt::format("high = rows with length in [{}, inf)", g.parameter("split")));
    if (pieces) {
        g.format(fmt::format("pieces = tiles(items={}) of high", pieces));
        g.buffer("zero C");
    }
    const std::string longBlocks = pieces ? "pieces.count" : "high.rows";
    const SpmmWriter::Shape few = shapeOf(g, g.parameter("lanes"));
    SpmmWriter::Shape all = few;
    all.ways = all.block / all.across;
    SpmmWriter low(g, few);
    const SpmmWriter::Names names{low.block(), low.across(), g.constant("Q", all.ways)};
    SpmmWriter high(g, all, names);
    if (g.parameter("fused")) {
        const std::string& first = g.name("long_blocks");
        g.argument("int", "long_blocks", longBlocks);
        shortArguments(g);
        longArguments(g, pieces > 0);
        g.vectorArguments();
        low.entry(fmt::format("dim3({} + ceil_div(low.rows, {}), {})", longBlocks, low.perBlock(),
                              low.columnBlocks()),
                  {"Long rows by blocks, short rows by groups of lanes, in one launch.",
                   fmt::format("Rows of {} entries and more get a block each.", g.parameter("split")),
                   "Row decomposition; the long rows start first."});
        high.declarePartials(1);
        g.open(fmt::format("if (blockIdx.x < {})", first));
        writeLongRows(g, high, pieces > 0);
        g.line("return;");
        g.close();
        writeShortRows(g, low, fmt::format("(blockIdx.x - {})", first), "short_");
        return;
    }
    longArguments(g, pieces > 0);
    g.vectorArguments();
    low.entry(fmt::format("dim3({}, {})", longBlocks, low.columnBlocks()),
              {"Long rows: a block shares the entries.", "The block part of a row decomposition.",
               "Long rows by whole blocks."},
              "kernel_long");
    high.declarePartials(1);
    writeLongRows(g, high, pieces > 0);
    shortArguments(g);
    g.vectorArguments();
    low.entry(fmt::format("dim3(ceil_div(low.rows, {}), {})", low.perBlock(), low.columnBlocks()),
              {"Short rows: a group of lanes each.", "The rest of the rows.", "Several short rows per warp."},
              "kernel_short");
    writeShortRows(g, low, "blockIdx.x", "short_");
}

std::optional<SpmmWork> workRowDecomposition(const SpmmProgram& program)
{
    const SpmvMatrix& m = program.m;
    const double split = program.of("split"), piece = program.of("piece");
    if (split > m.longest)
        return std::nullopt;
    const double few = m.rows * program.rowsBelow(split);
    const double many = std::min(m.rows * (1 - program.rowsBelow(split)), m.nnz / split);
    SpmmWork w = program.groups(few, program.ways(), m.nnz, std::min(program.typicalLength(), split), split);
    const double all = program.of("block") / program.across;
    const double blocks = piece > 0 ? many * std::max(1.0, 2 * split / piece) : many;
    w.threads += blocks * program.of("block") * program.slices;
    w.chain =
        std::max(w.chain, 2 + program.rounds(piece > 0 ? piece : m.longest, all) + program.reduction(all));
    w.bytes += 4 * m.rows;
    w.zeroed = piece > 0 ? 1 : 0;
    w.atomics = piece > 0 ? blocks : 0;
    w.launches = program.of("fused") == 1 ? 1 : 2;
    return w;
}

int recogniseRowDecomposition(const ProgramShape& program)
{
    return program.parts && !program.names({"ell"}) ? 200 : 0;
}

} // namespace

KernelFamily rowDecomposition()
{
    return {.family =
                {"M11",
                 "Row decomposition",
                 "Rows are split by length: a block or several share a long row, a part of a warp takes a "
                 "short one; good for long tails.",
                 {{"block", "threads per block", {128, 64, 256, 512, 1024}},
                  acrossParameter(),
                  vecParameter({4, 2}),
                  {"lanes", "lanes per short row", {8, 2, 4, 16, 32}},
                  {"split", "least length of a long row", {256, 32, 64, 128, 512, 1024}},
                  {"piece", "entries of long rows per block; 0: a block per long row", {0, 512, 1024, 2048}},
                  {"fused", "1: one launch for both; 0: one each", {1, 0}},
                  unrollParameter(),
                  batchesParameter()},
                 {"tiles"}},
            .write = writeParts,
            .recognise = recogniseRowDecomposition,
            .rules = SpmmRules{.grids = {{{"block", {128, 256, 512, 1024}},
                                          {"across", {2, 4, 8}},
                                          {"vec", {4, 2}},
                                          {"lanes", {8, 2, 4, 16, 32}},
                                          {"split", {256, 32, 64, 128, 512, 1024}},
                                          {"fused", {1}},
                                          {"unroll", {4}},
                                          {"batch", {1, 2}}},
                                         {{"block", {128, 256}},
                                          {"across", {2, 4, 8}},
                                          {"vec", {4, 2}},
                                          {"lanes", {8, 2, 4, 16, 32}},
                                          {"split", {256, 512, 1024}},
                                          {"piece", {512, 1024, 2048}},
                                          {"fused", {1}},
                                          {"unroll", {4}},
                                          {"batch", {1}}}},
                               .work = workRowDecomposition,
                               .reason = reasonOfLongestRow,
                               .fits = {{.weights = {1.75, 0.756, 2.25, 0.933, 0.292, 1.36, 0.339, 0.00752,
                                                     0.64, 0.0423, 0, 0.627, 0.823, 0.214, 0.473, 0},
                                         .tail = 0.0265,
                                         .factors = {{"across", 1, 1.05},
                                                     {"across", 2, 1.04},
                                                     {"across", 8, 0.934},
                                                     {"batch", 1, 0.965},
                                                     {"batch", 2, 1.05},
                                                     {"block", 128, 0.938},
                                                     {"block", 512, 1.07},
                                                     {"piece", 512, 1.05},
                                                     {"piece", 2048, 0.94},
                                                     {"split", 64, 1.03},
                                                     {"split", 1024, 1.03},
                                                     {"unroll", 1, 0.93},
                                                     {"unroll", 2, 0.952},
                                                     {"unroll", 8, 1.1}}}}}};
}

} // namespace sparserl::spmm
