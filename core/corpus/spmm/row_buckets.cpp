// SPDX-License-Identifier: Apache-2.0
// M20: rows in three ranges of length, two of them padded.
#include "corpus/families.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/parts.h"
#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::spmm {

namespace {

/// M20: two ranges of short rows padded as ELL, so that no row pointer is waited for, and blocks for long
/// rows.
void writeBuckets(Grammar& g)
{
    const std::int64_t first = g.parameter("first"), second = g.parameter("second");
    g.part(fmt::format("low = rows with length in [0, {})", first));
    g.part(fmt::format("mid = rows with length in [{}, {})", first, second));
    g.part(fmt::format("high = rows with length in [{}, inf)", second));
    g.format("low_ell = ell of low");
    g.format("mid_ell = ell of mid");
    const SpmmWriter::Shape few = shapeOf(g, g.parameter("lanes"));
    SpmmWriter::Shape more = shapeOf(g, std::max(g.parameter("mid_lanes"), 2 * few.across)), all = few;
    all.ways = all.block / all.across;
    SpmmWriter low(g, few);
    SpmmWriter mid(g, more, {low.block(), low.across(), g.constant("R", more.ways)});
    SpmmWriter high(g, all, {low.block(), low.across(), g.constant("Q", all.ways)});
    const std::string midBlocks = fmt::format("ceil_div(mid.rows, {})", mid.perBlock());
    g.argument("int", "long_blocks", "high.rows");
    g.argument("int", "mid_blocks", midBlocks);
    for (const char* prefix : {"short_", "mid_"}) {
        const std::string part = prefix[0] == 's' ? "low" : "mid", role = prefix;
        g.argument("int", role + "rows", part + ".rows");
        g.argument("int", role + "width", part + "_ell.width");
        g.argument("const int*", role + "ids", part + ".row_ids");
        g.argument("const int*", role + "col", part + "_ell.col");
        g.argument("const float*", role + "val", part + "_ell.val");
    }
    longArguments(g, false);
    g.vectorArguments();
    low.entry(fmt::format("dim3(high.rows + {} + ceil_div(low.rows, {}), {})", midBlocks, low.perBlock(),
                          low.columnBlocks()),
              {"Rows in buckets by length: two padded, the longest by blocks.",
               fmt::format("Buckets of rows: below {}, below {} and the rest.", first, second),
               "Padded buckets need no row pointers."});
    high.declarePartials(1);
    const std::string& blocks = g.name("long_blocks");
    const std::string& middle = g.name("mid_blocks");
    g.open(fmt::format("if (blockIdx.x < {})", blocks));
    writeLongRows(g, high, false);
    g.line("return;");
    g.close();
    g.open(fmt::format("if (blockIdx.x < {} + {})", blocks, middle));
    writeShortRows(g, mid, fmt::format("(blockIdx.x - {})", blocks), "mid_", true);
    g.line("return;");
    g.close();
    writeShortRows(g, low, fmt::format("(blockIdx.x - {} - {})", blocks, middle), "short_", true);
}

std::optional<SpmmWork> workRowBuckets(const SpmmProgram& program)
{
    const SpmvMatrix& m = program.m;
    const double first = program.of("first"), second = program.of("second");
    const double few = m.rows * program.rowsBelow(first);
    const double many =
        m.longest >= second ? std::min(m.rows * (1 - program.rowsBelow(second)), m.nnz / second) : 0;
    const double middle = std::max(0.0, m.rows - few - many);
    const double bytes = m.entry * few * std::min(first, m.longest) +
                         m.entry * middle * std::min(second, m.longest) + 4 * m.rows;
    if (!m.storable(2 * bytes) || m.longest < 4)
        return std::nullopt;
    SpmmWork w = program.groups(few, program.ways(), m.nnz, std::min(program.typicalLength(), first),
                                std::min(m.longest, first));
    w.bytes = bytes;
    const double all = program.of("block") / program.across;
    const double warp = std::max(program.of("mid_lanes"), 2 * program.across) / program.across;
    w.threads += (middle * program.across * warp + many * program.of("block")) * program.slices;
    if (many > 0)
        w.chain = std::max(w.chain, 2 + program.rounds(m.longest, all) + program.reduction(all));
    if (middle > 0)
        w.chain =
            std::max(w.chain, program.rounds(std::min(second, m.longest), warp) + program.reduction(warp));
    return w;
}

std::string reasonOfBuckets(const MatrixFeatures& features, const TargetVariant&)
{
    return fmt::format("{} rows, 80 % of at most {} entries, longest {}", features.rows, features.rowQ80,
                       features.rowMax);
}

int recogniseRowBuckets(const ProgramShape& program)
{
    return program.parts && program.names({"ell"}) ? 200 : 0;
}

} // namespace

KernelFamily rowBuckets()
{
    return {
        .family = {"M20",
                   "Buckets of rows",
                   "Rows in three ranges of length in one launch: two padded, without row pointers to wait "
                   "for, and a block for each row of the longest; good where rows are few or uneven.",
                   {{"block", "threads per block", {128, 64, 256, 512, 1024}},
                    acrossParameter(),
                    vecParameter({4, 2}),
                    {"lanes", "lanes per row of the first range", {4, 2, 8, 16}},
                    {"mid_lanes", "lanes per row of the second range", {32, 16}},
                    {"first", "least length in the second range", {16, 4, 8, 32}},
                    {"second", "least length in the third range", {128, 64, 256, 512}},
                    unrollParameter(),
                    {"batch", "0: plain loop; 1: masked batches", {1, 0}}},
                   {"ell"}},
        .write = writeBuckets,
        .recognise = recogniseRowBuckets,
        .rules = SpmmRules{
            .grids = {{{"block", {128, 256, 512, 1024}},
                       {"across", {2, 4, 8}},
                       {"vec", {4, 2}},
                       {"lanes", {4, 2, 8, 16}},
                       {"first", {16, 4, 8, 32}},
                       {"second", {128, 64, 256, 512}},
                       {"unroll", {4, 8}},
                       {"batch", {1}}}},
            .work = workRowBuckets,
            .reason = reasonOfBuckets,
            .fits = {{.weights = {1.31, 0.743, 2.18, 1.02, 0.662, 1.3, 0.332, 0.0213, 0.636, 0.049, 0.000416,
                                  0.578, 0.59, 0.211, 0.474, 0.409},
                      .tail = 0.0583,
                      .factors = {{"across", 1, 1.06},      {"across", 4, 0.965},    {"batch", 0, 0.95},
                                  {"batch", 1, 1.05},       {"block", 64, 0.968},    {"block", 512, 1.07},
                                  {"first", 4, 1.05},       {"first", 8, 0.962},     {"lanes", 2, 0.967},
                                  {"mid_lanes", 16, 0.965}, {"mid_lanes", 32, 1.04}, {"second", 64, 0.903},
                                  {"second", 128, 0.967},   {"second", 256, 1.06},   {"second", 512, 1.08},
                                  {"unroll", 1, 0.844},     {"unroll", 2, 0.963},    {"unroll", 8, 1.23},
                                  {"vec", 2, 1.03},         {"vec", 4, 0.97}}}}}};
}

} // namespace sparserl::spmm
