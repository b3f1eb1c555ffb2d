// SPDX-License-Identifier: Apache-2.0
// M18: A as a dense matrix; a block shares a few rows.
#include "corpus/families.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/row_sums.h"
#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <cmath>
#include <fmt/format.h>

namespace sparserl::spmm {

namespace {

/// M18: A as a dense matrix; a block shares a few rows and adds up over the inner dimension.
void writeDense(Grammar& g)
{
    const std::int64_t tile = g.parameter("tile");
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.ways = shape.block / shape.across;
    shape.vec = g.parameter("vec");
    SpmmWriter w(g, shape);
    const std::string rowsEach = g.constant("K", tile);
    g.format("dense");
    g.argument("int", "rows", "rows");
    g.argument("int", "cols", "cols");
    g.argument("const float*", "val", "dense.val");
    g.vectorArguments();
    w.entry(fmt::format("dim3(ceil_div(rows, {}), {})", rowsEach, w.columnBlocks()),
            {fmt::format("Dense product: a block shares {} rows.", tile), "Zeros are stored and multiplied.",
             "Every row of B is read once for several rows of C."});
    const std::string& row = g.name("row");
    const std::string& r = g.name("r");
    const std::string& k = g.name("k");
    const std::string& sum = g.name("sum");
    const std::string& partial = g.name("partial");
    const std::string warps = w.known(shape.block / 32, w.block() + " / 32");
    g.line(fmt::format("__shared__ {} {}[{}][{}];", w.type(), partial, rowsEach,
                       shape.across == 1 ? warps
                                         : w.known(shape.block / 32 * shape.across,
                                                   fmt::format("{} * {}", warps, w.across()))));
    g.line(fmt::format("int {} = blockIdx.x * {};", row, rowsEach));
    w.declareColumn(g.remainder("threadIdx.x", w.across(), shape.across));
    declareArray(g, w, rowsEach);
    g.open(fmt::format("if ({} < {})", g.name("j"), g.name("dense_cols")));
    if (g.parameter("unroll") > 1)
        g.unroll(g.parameter("unroll"));
    g.open(
        fmt::format("for (int {0} = {1}; {0} < {2}; {0} += {3})", k,
                    shape.across == 1 ? "threadIdx.x" : g.quotient("threadIdx.x", w.across(), shape.across),
                    g.name("cols"), w.ways()));
    g.line(fmt::format("{} {} = {};", w.type(), g.name("b"), w.loadB(k)));
    overRows(g, rowsEach);
    g.line(fmt::format("float {} = {}[(size_t)min({} + {}, {} - 1) * {} + {}];", g.name("a"), g.name("val"),
                       row, r, g.name("rows"), g.name("cols"), k));
    w.everyComponent([&](const std::string& c) {
        g.line(g.term(fmt::format("{}[{}]{}", sum, r, c), g.name("a"), g.name("b") + c));
    });
    g.close();
    g.close();
    g.close();
    const auto slot = [&](const std::string& warp) {
        return shape.across == 1 ? warp
                                 : fmt::format("{} * {} + {}", warp, w.across(),
                                               g.remainder("threadIdx.x", w.across(), shape.across));
    };
    overRows(g, rowsEach);
    w.reduceNamed({fmt::format("{}[{}]", sum, r)});
    g.line(fmt::format("if ({} < {}) {}[{}][{}] = {}[{}];", g.remainder("threadIdx.x", "32", 32), w.across(),
                       partial, r, slot(g.quotient("threadIdx.x", "32", 32)), sum, r));
    g.close();
    g.line("__syncthreads();");
    g.remark("One thread per vector of C adds up the warps.");
    const std::string& warp = g.name("warp");
    const std::string& total = g.name("total");
    g.open(fmt::format("if (threadIdx.x < {})",
                       w.known(tile * shape.across,
                               shape.across == 1 ? rowsEach : fmt::format("{} * {}", rowsEach, w.across()))));
    g.line(
        fmt::format("int {} = {};", r,
                    shape.across == 1 ? "threadIdx.x" : g.quotient("threadIdx.x", w.across(), shape.across)));
    g.line(fmt::format("{} {} = {};", w.type(), total, w.zero()));
    g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", warp, warps));
    w.everyComponent([&](const std::string& c) {
        g.line(fmt::format("{}{} += {}[{}][{}]{};", total, c, partial, r, slot(warp), c));
    });
    g.close();
    w.storeNamed(total, fmt::format("{} + {}", row, r), fmt::format("{} + {} < {}", row, r, g.name("rows")));
    g.close();
}

std::optional<SpmmWork> workSpmmDense(const SpmmProgram& program)
{
    const SpmvMatrix& m = program.m;
    const double tile = program.of("tile"), ways = program.of("block") / program.across;
    const double tiles = std::ceil(m.rows / tile);
    SpmmWork w;
    w.bytes = m.value * m.rows * m.cols;
    w.block = program.of("block");
    w.threads = tiles * program.of("block") * program.slices;
    w.typical = w.chain =
        std::ceil(std::ceil(m.cols / ways) / program.unroll) + 2 + tile * program.reduction(ways);
    w.instructions =
        w.threads * 40 + tiles * m.cols * program.across * program.slices * (5 + tile * (2 + program.vec));
    w.gathered = program.rowsOfB(tiles * m.cols);
    w.inFlight = program.unroll * m.value * (program.vec + tile);
    return m.storable(w.bytes) ? std::optional(w) : std::nullopt;
}

std::string reasonOfDensity(const MatrixFeatures& features, const TargetVariant&)
{
    return fmt::format("{:.2g} % of A are not zero", 100 * features.density);
}

int recogniseSpmmDense(const ProgramShape& program)
{
    return program.names({"dense"}) ? 103 : 0;
}

} // namespace

KernelFamily dense()
{
    return {.family = {"M18",
                       "Dense",
                       "A as a dense matrix, rows of B shared by several rows of C; good where half of A or "
                       "more is not zero.",
                       {{"block", "threads per block", {128, 64, 256}},
                        {"across", "lanes side by side on columns", {2, 4, 8}},
                        vecParameter({4, 1, 2}),
                        {"tile", "rows per block", {2, 1, 4, 8}},
                        {"unroll", "steps of the inner loop per branch", {2, 1, 4, 8}}},
                       {"dense"}},
            .write = writeDense,
            .recognise = recogniseSpmmDense,
            .rules = SpmmRules{.grids = {{{"block", {128, 256}},
                                          {"across", {2, 4, 8}},
                                          {"vec", {4, 2, 1}},
                                          {"tile", {2, 1, 4, 8}},
                                          {"unroll", {2, 4, 8}}}},
                               .work = workSpmmDense,
                               .reason = reasonOfDensity,
                               .fits = {{.weights = {1.08, 0.721, 2.12, 0.669, 0.43, 1.23, 0.316, 0, 0.605,
                                                     0.0393, 0, 0.578, 0, 0.195, 0.447, 0.397},
                                         .tail = -0.00694,
                                         .factors = {{"across", 2, 0.965},
                                                     {"across", 8, 1.05},
                                                     {"tile", 1, 0.961},
                                                     {"unroll", 1, 0.947},
                                                     {"unroll", 2, 0.955},
                                                     {"unroll", 4, 1.08}}}}}};
}

} // namespace sparserl::spmm
