// SPDX-License-Identifier: Apache-2.0
// M17: stored by diagonals; rows of C follow each other, and so do the rows of B on a diagonal.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <cmath>
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

std::optional<SpmmWork> workSpmmDia(const SpmmProgram& program)
{
    const SpmvMatrix& m = program.m;
    const auto diagonals = static_cast<double>(m.features.diagonals);
    if (diagonals < 1 || diagonals > 256 || !m.storable(m.value * diagonals * m.rows))
        return std::nullopt;
    SpmmWork w = program.groups(m.rows, 1, diagonals * m.rows, diagonals, diagonals);
    w.bytes = m.value * diagonals * m.rows;
    w.typical = w.chain = 1 + 1.5 * std::ceil(diagonals / program.unroll);
    w.gathered *= 0.5; // Neighbouring rows of B.
    return w;
}

std::string reasonOfDiagonals(const MatrixFeatures& features, const TargetVariant&)
{
    return fmt::format("{} diagonals, {:.0f} % filled", features.diagonals, 100 * features.diagonalFill);
}

int recogniseSpmmDia(const ProgramShape& program)
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
        .recognise = recogniseSpmmDia,
        .rules = SpmmRules{.grids = {{{"block", {128, 256}},
                                      {"across", {2, 4, 8, 1}},
                                      {"vec", {4, 2, 1}},
                                      {"unroll", {4, 8}}}},
                           .work = workSpmmDia,
                           .reason = reasonOfDiagonals,
                           .fits = {{.weights = {1.63, 0.693, 2.04, 0.6, 0.11, 1.19, 0.313, 0, 0.589, 0.0402,
                                                 0, 0.515, 1.31, 0.193, 0.439, 0.382},
                                     .tail = 0,
                                     .factors = {{"unroll", 1, 0.952},
                                                 {"unroll", 4, 1.05},
                                                 {"unroll", 8, 1.05},
                                                 {"vec", 2, 0.965},
                                                 {"vec", 4, 1.04}}}}}};
}

} // namespace sparserl::spmm
