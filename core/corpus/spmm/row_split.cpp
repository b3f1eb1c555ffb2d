// SPDX-License-Identifier: Apache-2.0
// M1: a thread per element of C.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/groups.h"
#include "corpus/spmm/reasons.h"
#include "corpus/spmm_work.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl::spmm {

namespace {

/// M1: a thread per element of C, or per `merge` elements of a row; threads of a row stand side by side.
void writeElements(Grammar& g)
{
    const std::int64_t merge = g.parameter("merge");
    const std::string block = g.constant("BLOCK", g.parameter("block"));
    const std::string wide = merge == 1 ? "dense_cols" : fmt::format("ceil_div(dense_cols, {})", merge);
    csrArguments(g);
    if (merge > 1)
        g.argument("int", "width", wide);
    g.entry(fmt::format("ceil_div(rows * {}, {})", wide, block), block,
            {"Row-split SpMM: one thread per element of C.", "Neighbouring threads own neighbouring columns.",
             "Each thread walks a row of A for its own columns of B."});
    const std::string& row = g.name("row");
    const std::string& j = g.name("j");
    const std::string& n = g.name("dense_cols");
    const std::string& t = g.name("thread");
    const std::string& i = g.name("i");
    const std::string& sum = g.name("sum");
    const std::string& width = merge == 1 ? n : g.name("width");
    g.line(fmt::format("int {} = blockIdx.x * blockDim.x + threadIdx.x;", t));
    g.line(fmt::format("int {} = {} / {}, {} = {} % {};", row, t, width, j, t, width));
    g.guard(row, g.name("rows"));
    const auto at = [&](std::int64_t k) { return k == 0 ? j : fmt::format("{}{}", j, k); };
    const auto total = [&](std::int64_t k) { return k == 0 ? sum : fmt::format("{}{}", sum, k); };
    for (std::int64_t k = 1; k < merge; ++k)
        g.line(fmt::format("int {} = min({} + {}{}, {} - 1);", at(k), j,
                           k == 1 ? "" : fmt::format("{} * ", k), width, n));
    std::string sums = fmt::format("float {} = 0", sum);
    for (std::int64_t k = 1; k < merge; ++k)
        sums += fmt::format(", {} = 0", total(k));
    g.line(sums + ";");
    const auto load = [&](std::int64_t k) {
        const std::string place = fmt::format("(size_t){} * {} + {}", element(g, "col", i), n, at(k));
        return g.style().readOnlyLoads ? fmt::format("__ldg(&B[{}])", place) : fmt::format("B[{}]", place);
    };
    std::string end = element(g, "row_ptr", row + " + 1");
    if (g.style().namedEnds) {
        g.line(fmt::format("int {} = {};", g.name("end"), end));
        end = g.name("end");
    }
    const std::string begin = fmt::format("int {} = {}", i, element(g, "row_ptr", row));
    if (g.style().whileLoop)
        g.line(begin + ";");
    if (g.parameter("unroll") > 1)
        g.unroll(g.parameter("unroll"));
    g.open(g.style().whileLoop ? fmt::format("while ({} < {})", i, end)
                               : fmt::format("for ({}; {} < {}; {}++)", begin, i, end, i));
    for (std::int64_t k = 0; k < merge; ++k)
        g.line(g.term(total(k), element(g, "val", i), load(k)));
    if (g.style().whileLoop)
        g.line(i + "++;");
    g.close();
    g.line(fmt::format("C[(size_t){} * {} + {}] = {};", row, n, j, sum));
    for (std::int64_t k = 1; k < merge; ++k)
        g.line(fmt::format("if ({0} + {1}{2} < {3}) C[(size_t){4} * {3} + {5}] = {6};", j,
                           k == 1 ? "" : fmt::format("{} * ", k), width, n, row, at(k), total(k)));
    g.endGuard();
}

std::optional<SpmmWork> workRowSplit(const SpmmProgram& program)
{
    const SpmvMatrix& m = program.m;
    const double threads = std::ceil(program.columns / program.chunks); // Of a row.
    SpmmWork w;
    w.bytes = program.csrBytes();
    w.block = program.of("block");
    w.threads = m.rows * threads;
    w.typical = 1 + program.rounds(program.typicalLength(), 1);
    w.chain = 1 + program.rounds(m.longest, 1);
    w.instructions = w.threads * 30 + m.nnz * threads * (6 + 3 * program.chunks);
    w.gathered = m.nnz * std::max(32.0, m.value * program.columns);
    w.inFlight = 2 * (m.entry + m.value * program.chunks);
    return w;
}

int recogniseRowSplit(const ProgramShape& program)
{
    return program.kernel ? 10 : 0;
}

} // namespace

KernelFamily rowSplit()
{
    return {.family = {"M1",
                       "Row-split, thread per element",
                       "Each thread computes one or a few elements of C, neighbours on neighbouring columns; "
                       "the plain kernel for any number of columns.",
                       {blockParameter(),
                        {"merge", "columns per thread", {1, 2, 4}},
                        {"unroll", "steps of the inner loop per branch", {1, 2, 4, 8}}},
                       {}},
            .write = writeElements,
            .recognise = recogniseRowSplit,
            .rules =
                SpmmRules{.grids = {{{"block", {128, 256}}, {"merge", {1, 2, 4}}, {"unroll", {2, 4, 8}}}},
                          .work = workRowSplit,
                          .reason = reasonOfLengths,
                          .fits = {{.weights = {1.67, 0.775, 2.28, 0.48, 0, 1.31, 0.357, 0, 0.64, 0.0339,
                                                0.00379, 0.614, 0, 0.209, 0.476, 0.427},
                                    .tail = 0.288,
                                    .factors = {{"block", 64, 1.04},
                                                {"merge", 1, 0.874},
                                                {"merge", 2, 1.05},
                                                {"merge", 4, 1.09},
                                                {"unroll", 1, 0.809},
                                                {"unroll", 2, 1.05},
                                                {"unroll", 4, 1.09},
                                                {"unroll", 8, 1.08}}}}}};
}

} // namespace sparserl::spmm
