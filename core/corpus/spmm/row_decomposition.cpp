// SPDX-License-Identifier: Apache-2.0
// M11: short rows by groups of lanes, long rows by blocks.
#include "corpus/families.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/parts.h"
#include "corpus/spmm_portfolio.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
#include <cmath>
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

/// How the long rows are taken, and what that is worth beside the best.
struct Decomposition
{
    std::int64_t block, split, piece, batch;
    double factor;
};

std::vector<Decomposition> decompositions(const SpmmPortfolio& p, std::int64_t split, bool all)
{
    const auto longest = static_cast<double>(p.features().rowMax);
    const auto across = static_cast<double>(p.across());
    // About two batches of four for the longest row.
    const std::int64_t block = powerAbove(longest * across / 8, 128, 1024);
    std::vector<Decomposition> choices = {{block, split, 0, 1, 0.98},
                                          {128, split, 0, 1, block > 256 ? 0.85 : 1},
                                          {256, std::max<std::int64_t>(64, split), 0, 1, 0.95}};
    if (!all) {
        choices.push_back({std::min<std::int64_t>(1024, 2 * block), split, 0, 1, 0.9});
        return choices;
    }
    choices.push_back({128, std::max<std::int64_t>(32, split / 2), 0, 1, block > 256 ? 0.8 : 0.9});
    choices.push_back({512, split, 0, 1, 0.88});
    choices.push_back({256, std::min<std::int64_t>(1024, split * 2), 0, 2, 0.9});
    choices.push_back(
        {128, 32, 0, 1, 0.8 + 0.1 * std::max(p.idle(), rising(p.typical() * across / 32, 2, 8))});
    if (longest <= 2048)
        return choices;
    // One block is too few lanes for such rows.
    const double huge = rising(longest * across, 8192, 24576);
    choices.push_back({256, std::max<std::int64_t>(split, 256), 1024, 1, 0.85 + 0.15 * huge});
    choices.push_back({128, std::max<std::int64_t>(split, 256), 512, 1, 0.84 + 0.14 * huge});
    choices.push_back({256, 1024, 2048, 2, 0.82 + 0.14 * huge});
    return choices;
}

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    if (pass == SpmmPass::Groups || pass == SpmmPass::Others || p.features().rowMax <= 96 ||
        p.skew() <= 2.5 || p.vec() == 1)
        return;
    const double score = 0.55 + 0.45 * rising(std::log2(p.skew()), 1.5, 5);
    const std::int64_t split =
        std::clamp<std::int64_t>(powerAbove(4.0 * std::max(p.typical(), 8.0), 32, 1024), 32, 1024);
    for (const Decomposition& choice : decompositions(p, split, pass == SpmmPass::Rows)) {
        if (choice.split > p.features().rowMax)
            continue;
        p.add({{"block", choice.block},
               {"across", p.across()},
               {"vec", p.vec()},
               {"lanes", std::max<std::int64_t>(p.lanesFor(4), 2)},
               {"split", choice.split},
               {"piece", choice.piece},
               {"fused", 1},
               {"unroll", 4},
               {"batch", choice.batch}},
              score * choice.factor, p.skewReason());
    }
}

int recognise(const ProgramShape& program)
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
            .recognise = recognise,
            .rules = SpmmRules{.propose = propose, .firstTries = 12, .place = 6}};
}

} // namespace sparserl::spmm
