// SPDX-License-Identifier: Apache-2.0
// M18: A as a dense matrix; a block shares a few rows.
#include "corpus/families.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/row_sums.h"
#include "corpus/spmm_portfolio.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
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

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    if (pass != SpmmPass::Others)
        return;
    const MatrixFeatures& f = p.features();
    const auto one = [&](std::int64_t block, std::int64_t across, std::int64_t tile, std::int64_t unroll,
                         double score, const std::string& reason) {
        p.add({{"block", block}, {"across", across}, {"vec", p.vec()}, {"tile", tile}, {"unroll", unroll}},
              score, reason);
    };
    const double places = static_cast<double>(f.rows) * static_cast<double>(f.cols);
    if (places <= 1.2e6 && f.density > 0.005 && p.vec() > 1) {
        const std::string reason = fmt::format("{} x {} as a dense matrix", f.rows, f.cols);
        const double score = 0.55 + 0.38 * falling(places, 1e5, 1.2e6) + 0.3 * rising(f.density, 0.02, 0.3);
        one(256, 2, 1, 4, score * falling(places, 2e5, 8e5), reason);
        one(128, 2, 2, 4, score * 0.97, reason);
        one(128, 2, 4, 8, score * 0.94, reason);
    }
    if (f.density >= 0.2 && 4.0 * places <= p.byteLimit()) {
        const std::string reason = fmt::format("{:.0f} % of A are not zero", 100 * f.density);
        const double score = 0.4 + 0.55 * rising(f.density, 0.2, 0.6);
        for (std::int64_t tile : {std::int64_t(2), std::int64_t(4), std::int64_t(8)})
            one(f.cols > 1024 ? 256 : 128, std::max<std::int64_t>(2, p.across()), tile, tile == 8 ? 2 : 4,
                score * (tile == 4 ? 1 : 0.95), reason);
    }
}

int recognise(const ProgramShape& program)
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
            .recognise = recognise,
            .rules = SpmmRules{.propose = propose, .firstTries = 3, .place = 16}};
}

} // namespace sparserl::spmm
