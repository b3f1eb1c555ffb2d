// SPDX-License-Identifier: Apache-2.0
// M17: stored by diagonals; rows of C follow each other, and so do the rows of B on a diagonal.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm_portfolio.h"
#include "corpus/spmm_writer.h"

#include <fmt/format.h>

namespace sparserl::spmm {

namespace {

/// M17: rows of C follow each other, and so do the rows of B on a diagonal.
void writeDia(Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.vec = g.parameter("vec");
    SpmmWriter w(g, shape);
    g.format("dia");
    g.argument("int", "rows", "rows");
    g.argument("int", "cols", "cols");
    g.argument("int", "diagonals", "dia.diagonals");
    g.argument("const int*", "diagonal_offset", "dia.offset");
    g.argument("const float*", "val", "dia.val");
    g.vectorArguments();
    w.entry(w.grid("rows"), {"DIA: one step per diagonal.", "Columns follow from the diagonal's offset.",
                             "Neighbouring groups read neighbouring rows of B."});
    const std::string& row = g.name("row");
    const std::string& lane = g.name("lane");
    const std::string& d = g.name("d");
    const std::string& c = g.name("column");
    if (shape.across > 1)
        g.line(fmt::format("int {} = {};", lane, g.remainder("threadIdx.x", w.across(), shape.across)));
    g.line(
        fmt::format("int {} = blockIdx.x * ({}) + {};", row, w.perBlock(),
                    shape.across == 1 ? "threadIdx.x" : g.quotient("threadIdx.x", w.across(), shape.across)));
    w.declareColumn(lane);
    g.open(fmt::format("if ({} < {} && {} < {})", row, g.name("rows"), g.name("j"), g.name("dense_cols")));
    w.declareSums();
    if (g.parameter("unroll") > 1)
        g.unroll(g.parameter("unroll"));
    g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", d, g.name("diagonals")));
    g.line(fmt::format("int {} = {} + {}[{}];", c, row, g.name("diagonal_offset"), d));
    g.open(fmt::format("if ({0} >= 0 && {0} < {1})", c, g.name("cols")));
    g.line(fmt::format("float {} = {}[(size_t){} * {} + {}];", g.name("a"), g.name("val"), d, g.name("rows"),
                       row));
    w.addRow(g.name("a"), c);
    g.close();
    g.close();
    w.store(row, w.exists);
    g.close();
}

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    const MatrixFeatures& f = p.features();
    const double bytes = 4.0 * static_cast<double>(f.diagonals) * static_cast<double>(f.rows);
    if (pass != SpmmPass::Others || f.diagonals < 1 || f.diagonals > 256 || bytes > p.byteLimit() ||
        f.diagonalFill <= 0.25)
        return;
    const std::string reason =
        fmt::format("{} diagonals, {:.0f} % filled", f.diagonals, 100 * f.diagonalFill);
    const double score = 0.95 * rising(f.diagonalFill, 0.15, 0.7);
    for (std::int64_t unroll : {std::int64_t(4), std::int64_t(8)}) {
        p.add({{"block", unroll == 4 ? 128 : 256},
               {"across", p.across()},
               {"vec", p.vec()},
               {"unroll", unroll}},
              score * (unroll == 4 ? 1 : 0.96), reason);
    }
}

int recognise(const ProgramShape& program)
{
    return program.names({"dia"}) ? 104 : 0;
}

} // namespace

KernelFamily dia()
{
    return {
        .family =
            {"M17",
             "DIA",
             "Stored by diagonals, without column indices; good for matrices of few, well filled diagonals.",
             {blockParameter(),
              {"across", "lanes side by side on columns", {2, 1, 4, 8, 16}},
              vecParameter({4, 1, 2}),
              {"unroll", "diagonals per step of a thread", {4, 1, 2, 8}}},
             {"dia"}},
        .write = writeDia,
        .recognise = recognise,
        .rules = SpmmRules{.propose = propose, .firstTries = 2, .place = 15}};
}

} // namespace sparserl::spmm
