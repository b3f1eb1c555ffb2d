// SPDX-License-Identifier: Apache-2.0
// M20: rows in three ranges of length, two of them padded.
#include "corpus/families.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/parts.h"
#include "corpus/spmm_portfolio.h"
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

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    if (pass != SpmmPass::Rows && pass != SpmmPass::Slices)
        return;
    const MatrixFeatures& f = p.features();
    const auto longest = static_cast<double>(f.rowMax);
    const double few = falling(p.rowThreads(), 0.3 * p.device().threads, 1.5 * p.device().threads);
    if (p.vec() == 1 || few <= 0 || f.rowMax < 4 || p.mean() > 96)
        return;
    const std::string reason =
        fmt::format("{} rows, 80 % of at most {} entries, longest {}", f.rows, f.rowQ80, f.rowMax);
    const std::int64_t first = powerAbove(static_cast<double>(f.rowQ80) + 1, 4, 32);
    const std::int64_t second =
        std::max<std::int64_t>(64, powerAbove(static_cast<double>(f.rowQ99) + 1, 64, 512));
    const double padding = 8.0 * static_cast<double>(f.rows) * static_cast<double>(first) +
                           8.0 * 0.3 * static_cast<double>(f.rows) * static_cast<double>(second);
    if (padding > 0.5 * p.byteLimit())
        return;
    const double score = 0.97 * few * (longest > 1.5 * p.typical() ? 1 : 0.6);
    const auto one = [&](std::int64_t threads, std::int64_t low, std::int64_t high, std::int64_t each,
                         double factor) {
        low = std::clamp<std::int64_t>(low, 4, 32);
        const std::int64_t wanted =
            p.across() * powerAbove(static_cast<double>(low) / static_cast<double>(each), 1, 16);
        p.add({{"block", threads},
               {"across", p.across()},
               {"vec", p.vec()},
               {"lanes", p.allowedLanes(wanted, 16)},
               {"mid_lanes", 32},
               {"first", low},
               {"second", std::clamp<std::int64_t>(high, 64, 512)},
               {"unroll", each},
               {"batch", 1}},
              score * factor, reason);
    };
    const std::int64_t large = longest > static_cast<double>(second)
                                   ? powerAbove(longest * static_cast<double>(p.across()) / 8, 128, 1024)
                                   : 128;
    one(large, first, second, 4, 1);
    one(large, first, 64, 4, 0.96);
    if (pass == SpmmPass::Slices)
        return;
    one(256, 2 * first, second, 4, 0.93);
    one(128, first, second, 8, 0.9);
    one(large, first / 2, 64, 4, 0.88);
    one(std::min<std::int64_t>(1024, 2 * large), 2 * first, 128, 4, 0.86);
}

int recognise(const ProgramShape& program)
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
        .recognise = recognise,
        .rules = SpmmRules{.propose = propose, .firstTries = 5, .place = 9}};
}

} // namespace sparserl::spmm
