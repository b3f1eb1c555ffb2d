// SPDX-License-Identifier: Apache-2.0
// M8: dense blocks with one column index each.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/row_sums.h"
#include "corpus/spmm_portfolio.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::spmm {

namespace {

constexpr const char* components[] = {".x", ".y", ".z", ".w"};

std::string rowOfB(Grammar& g, const SpmmWriter& w, const std::string& index)
{
    return w.loadB(fmt::format("min({}, {} - 1)", index, g.name("cols")));
}

/// Adds the products of block `i` of b x b entries, whose first column is `column`, to the lane's sums.
void addBlock(Grammar& g, SpmmWriter& w, std::int64_t size, const std::string& b)
{
    const std::string& i = g.name("i");
    const std::string& c = g.name("column");
    const std::string& q = g.name("q");
    const std::string& r = g.name("r");
    const std::string& sum = g.name("sum");
    const std::string& v = g.name("a");
    const auto addTo = [&](const std::string& target, const std::string& factor, const std::string& from) {
        w.everyComponent(
            [&](const std::string& part) { g.line(g.term(target + part, factor, from + part)); });
    };
    const auto part = [&](std::int64_t k) { return fmt::format("{}{}", g.name("b"), k); };
    if (size == 2) {
        // A block is one aligned vector of four values.
        g.line(fmt::format("float4 {} = ((const float4*){})[{}];", v, g.name("val"), i));
        g.line(fmt::format("{} {} = {};", w.type(), part(0), rowOfB(g, w, c)));
        g.line(fmt::format("{} {} = {};", w.type(), part(1), rowOfB(g, w, c + " + 1")));
        for (int k = 0; k < 4; ++k)
            addTo(fmt::format("{}[{}]", sum, k / 2), v + components[k], part(k % 2));
    } else if (size % 4 != 0) {
        const std::string& m = g.name("quad");
        g.line(fmt::format("const float* {} = {} + (size_t){} * ({});", m, g.name("val"), i,
                           w.known(size * size, fmt::format("{0} * {0}", b))));
        g.line("#pragma unroll");
        g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", q, b));
        g.line(fmt::format("{} {} = {};", w.type(), part(0), rowOfB(g, w, fmt::format("{} + {}", c, q))));
        overRows(g, b);
        g.line(fmt::format("float {} = {}[{} * {} + {}];", v, m, r, b, q));
        addTo(fmt::format("{}[{}]", sum, r), v, part(0));
        g.close();
        g.close();
    } else {
        // Four columns of the block at a time: four rows of B, then a vector of each row of the block.
        const std::string quads = size == 4 ? "1" : w.known(size / 4, b + " / 4");
        const std::string& m = g.name("quad");
        g.line(fmt::format("const float4* {} = (const float4*){} + (size_t){} * ({});", m, g.name("val"), i,
                           w.known(size * size / 4, fmt::format("{0} * {0} / 4", b))));
        if (size > 4) {
            g.line("#pragma unroll");
            g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", q, quads));
        }
        for (int k = 0; k < 4; ++k) {
            const std::string at =
                size == 4 ? (k ? fmt::format("{} + {}", c, k) : c) : fmt::format("{} + {} * 4 + {}", c, q, k);
            g.line(fmt::format("{} {} = {};", w.type(), part(k), rowOfB(g, w, at)));
        }
        overRows(g, b);
        g.line(fmt::format("float4 {} = {}[{}];", v, m,
                           size == 4 ? r : fmt::format("{} * ({}) + {}", r, quads, q)));
        for (int k = 0; k < 4; ++k)
            addTo(fmt::format("{}[{}]", sum, r), v + components[k], part(k));
        g.close();
        if (size > 4)
            g.close();
    }
}

/// M8: a group of lanes per row of blocks; each lane holds `size` rows of C for its columns, so that a row of
/// B that was read once is used for all of them.
void writeBsr(Grammar& g)
{
    const std::int64_t size = g.parameter("size");
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.ways = std::max<std::int64_t>(1, g.parameter("lanes") / shape.across);
    shape.vec = g.parameter("vec");
    SpmmWriter w(g, shape);
    const std::string b = g.constant("K", size);
    g.format(fmt::format("bsr(block={})", size));
    g.argument("int", "rows", "rows");
    g.argument("int", "cols", "cols");
    g.argument("int", "block_rows", "bsr.block_rows");
    g.argument("const int*", "row_ptr", "bsr.row_ptr");
    g.matrixArguments("bsr");
    w.entry(w.grid("bsr.block_rows"),
            {fmt::format("Dense blocks of {0} x {0}.", size),
             "Each row of B is read once for a row of blocks.", "One column index for a whole block."});
    const std::string& row = g.name("row");
    const std::string& lane = g.name("lane");
    const std::string& i = g.name("i");
    const std::string& end = g.name("end");
    const std::string& c = g.name("column");
    g.name("q"); // Names are given in the order in which they are asked for.
    const std::string& r = g.name("r");
    const std::string& sum = g.name("sum");
    const bool product = shape.ways > 1 && shape.across > 1 && !g.style().literalParameters;
    const std::string by = product ? "(" + w.group() + ")" : w.group();
    const bool alone = w.groupSize() == 1;
    g.line(fmt::format("int {} = {};", lane, alone ? "0" : g.remainder("threadIdx.x", by, w.groupSize())));
    g.line(fmt::format("int {} = blockIdx.x * ({}) + {};", row, w.perBlock(),
                       alone ? "threadIdx.x" : g.quotient("threadIdx.x", by, w.groupSize())));
    w.declareColumn(shape.ways > 1 && shape.across > 1 ? g.remainder(lane, w.across(), shape.across) : lane);
    declareArray(g, w, b);
    g.line(fmt::format("int {} = 0, {} = 0;", i, end));
    g.open(
        fmt::format("if ({} < {} && {} < {})", row, g.name("block_rows"), g.name("j"), g.name("dense_cols")));
    std::string way;
    if (shape.ways > 1)
        way = " + " + (shape.across == 1 ? lane : g.quotient(lane, w.across(), shape.across));
    g.line(fmt::format("{} = {}[{}]{};", i, g.name("row_ptr"), row, way));
    g.line(fmt::format("{} = {}[{} + 1];", end, g.name("row_ptr"), row));
    g.close();
    if (g.parameter("unroll") > 1)
        g.unroll(g.parameter("unroll"));
    g.open(fmt::format("for (; {0} < {1}; {2})", i, end,
                       shape.ways == 1 ? i + "++" : fmt::format("{} += {}", i, w.ways())));
    g.line(fmt::format("int {} = {}[{}] * {};", c, g.name("col"), i, b));
    addBlock(g, w, size, b);
    g.close();
    overRows(g, b);
    w.reduceNamed({fmt::format("{}[{}]", sum, r)});
    const std::string out = fmt::format("{} * {} + {}", row, b, r);
    w.storeNamed(fmt::format("{}[{}]", sum, r), out,
                 (shape.ways > 1 ? fmt::format("{} < {} && ", lane, w.across()) : std::string()) +
                     fmt::format("{} < {} && {} < {}", row, g.name("block_rows"), out, g.name("rows")));
    g.close();
}

struct BlockSize
{
    std::int64_t size;
    double fill;
};

void proposeSize(SpmmPortfolio& p, const BlockSize& choice)
{
    const double fill = std::min(1.0, choice.fill);
    const auto size = static_cast<double>(choice.size);
    // Rows of B read per entry: 1 / (size * fill); bytes of A per entry: (4 + 4 / size^2) / fill of 8.
    const double rowsOfB = 1 / (size * std::max(fill, 1e-3));
    const double bytesOfA = (4 + 4 / (size * size)) / (8 * std::max(fill, 1e-3));
    const double gain = 1 / (0.6 * rowsOfB + 0.4 * bytesOfA);
    if (fill < 0.2 || gain < 0.8 || (size == 16 && p.mean() < 32))
        return;
    const double blocksPerRow = p.mean() / (size * fill);
    const double score = 0.62 + 0.3 * rising(gain, 0.8, 2.2);
    const std::int64_t lanes =
        std::clamp<std::int64_t>(p.across() * powerAbove(blocksPerRow / 2, 1, 32), 2, 32);
    const auto one = [&](std::int64_t block, std::int64_t use, std::int64_t unroll, double factor) {
        p.add({{"block", block},
               {"across", p.across()},
               {"vec", p.vec()},
               {"lanes", use},
               {"size", choice.size},
               {"unroll", unroll}},
              factor * score, fmt::format("blocks of {0} x {0} are {1:.0f} % full", choice.size, 100 * fill));
    };
    one(128, lanes, 1, 1);
    one(128, std::max<std::int64_t>(2, std::max(p.across(), lanes / 2)), 2, 0.95);
    if (size >= 8)
        one(64, 32, 1, 0.93);
}

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    if (pass != SpmmPass::Others)
        return;
    const auto& fill = p.features().blockFill; // 2, 4, 8, 16
    const std::int64_t rows = p.features().rows;
    for (const BlockSize& choice :
         {BlockSize{2, fill[0]}, BlockSize{4, fill[1]}, BlockSize{8, fill[2]}, BlockSize{16, fill[3]},
          // Not measured: three or six unknowns per node show as half-full blocks of 2 or 4.
          BlockSize{3, rows % 3 == 0 ? 1.25 * fill[0] : 0},
          BlockSize{6, rows % 6 == 0 && fill[1] > 0.35 ? 1.25 * fill[1] : 0}})
        proposeSize(p, choice);
}

int recognise(const ProgramShape& program)
{
    return program.names({"bsr"}) ? 111 : 0;
}

} // namespace

KernelFamily bsr()
{
    return {.family = {"M8",
                       "BSR, dense blocks",
                       "Dense blocks with one column index each; a row of B that was read is used for a "
                       "whole row of blocks; good where entries come in blocks.",
                       {blockParameter(),
                        acrossParameter(),
                        vecParameter({4, 1, 2}),
                        {"lanes",
                         "lanes per row of blocks; more than across: several blocks at once",
                         {8, 2, 4, 16, 32}},
                        {"size", "rows and columns of a block", {4, 2, 3, 6, 8, 16}},
                        {"unroll", "blocks per step of a thread", {1, 2, 4}}},
                       {"bsr"}},
            .write = writeBsr,
            .recognise = recognise,
            .rules = SpmmRules{.propose = propose, .firstTries = 5, .place = 14}};
}

} // namespace sparserl::spmm
