// SPDX-License-Identifier: Apache-2.0
// M8: dense blocks with one column index each.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/row_sums.h"
#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
#include <cmath>
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

/// How full blocks of b x b are. Perfect ones of 3 and 6 leave their mark on those of 2.
double fillOf(const MatrixFeatures& features, double b)
{
    const auto& fill = features.blockFill; // 2, 4, 8, 16
    const double three = std::clamp((fill[0] - 0.35) / 0.35, 0.0, 1.0);
    if (b == 3 || b == 6)
        return features.rows % static_cast<std::int64_t>(b) != 0 ? 0 : b == 3 ? three : 0.7 * three;
    return b == 2 ? fill[0] : b == 4 ? fill[1] : b == 8 ? fill[2] : fill[3];
}

std::optional<SpmmWork> workSpmmBsr(const SpmmProgram& program)
{
    const SpmvMatrix& m = program.m;
    const double b = program.of("size"), full = fillOf(m.features, b), ways = program.ways();
    if (full < 0.2)
        return std::nullopt;
    const double entries = m.nnz / full, blocks = entries / (b * b);
    const auto latencies = [&](double length) {
        return 1 + 2 * std::ceil(std::ceil(length / full / b / ways) / program.unroll) +
               b * program.reduction(ways);
    };
    SpmmWork w;
    w.bytes = m.value * entries + 4 * blocks;
    w.block = program.of("block");
    w.threads = m.rows / b * program.across * ways * program.slices;
    w.typical = latencies(m.mean);
    w.chain = latencies(m.longest);
    w.instructions = w.threads * (35 + b * 4) +
                     blocks * program.across * program.slices * (10 + b * 3 + b * b * (0.5 + program.vec));
    w.gathered = program.rowsOfB(blocks * b);
    w.inFlight = program.unroll * b * m.value * program.vec;
    return w;
}

std::string reasonOfBlocks(const MatrixFeatures& features, const TargetVariant&)
{
    return fmt::format("blocks of 2, 4 and 8 are filled by {:.0f}, {:.0f} and {:.0f} %",
                       100 * features.blockFill[0], 100 * features.blockFill[1], 100 * features.blockFill[2]);
}

int recogniseSpmmBsr(const ProgramShape& program)
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
            .recognise = recogniseSpmmBsr,
            .rules = SpmmRules{.grids = {{{"block", {128, 64}},
                                          {"across", {2, 4, 8, 1}},
                                          {"vec", {4, 2, 1}},
                                          {"lanes", {8, 2, 4, 16, 32}},
                                          {"size", {4, 2, 3, 6, 8, 16}},
                                          {"unroll", {1, 2}}}},
                               .work = workSpmmBsr,
                               .reason = reasonOfBlocks,
                               .fits = {{.weights = {1.89, 0.845, 2.48, 0.564, 0, 1.45, 0.376, 0, 0.675,
                                                     0.0307, 0, 0.598, 2.47, 0.219, 0.528, 0.466},
                                         .tail = 0.129,
                                         .factors = {{"across", 1, 1.03},
                                                     {"across", 4, 1.03},
                                                     {"across", 8, 0.939},
                                                     {"block", 256, 1.06},
                                                     {"block", 512, 0.97},
                                                     {"lanes", 8, 0.961},
                                                     {"lanes", 32, 1.03},
                                                     {"size", 2, 0.82},
                                                     {"size", 3, 1.07},
                                                     {"size", 4, 0.908},
                                                     {"size", 6, 1.26},
                                                     {"unroll", 1, 0.903},
                                                     {"unroll", 2, 1.04},
                                                     {"unroll", 4, 1.07},
                                                     {"vec", 1, 0.949},
                                                     {"vec", 4, 1.06}}}}}};
}

} // namespace sparserl::spmm
