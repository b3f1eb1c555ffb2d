// SPDX-License-Identifier: Apache-2.0
// S10: rows padded to one length, stored by columns.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv/reasons.h"
#include "corpus/spmv_work.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl::spmv {

namespace {

/// Entries begin, begin + step, ... of col and val below end, in the variable `sum` that this declares.
void sumBatches(Grammar& g, const std::string& begin, const std::string& end, const std::string& step,
                const std::string& base = {})
{
    KernelText text(g);
    text.stream(g.parameter("stream") != 0).write("float $sum = 0;");
    writeRowSum(g, text,
                {begin, end, step, g.parameter("batch"), g.name(base.empty() ? "col" : "off"), g.name("val"),
                 base, g.name("sum"), g.parameter("predicate") != 0});
}

bool plain(const Grammar& g)
{
    return g.parameter("batch") == 1 && g.parameter("stream") == 0 && g.parameter("predicate") == 0;
}

/// Entry k of row r stands at k * rows + r: a walk from r in steps of `rows`.
void writeEll(Grammar& g)
{
    const std::int64_t lanes = g.parameter("lanes");
    const std::string block = g.constant("BLOCK", g.parameter("block"));
    const std::string& row = g.name("row");
    const std::string& rows = g.name("rows");
    const std::string& lane = g.name("lane");
    g.format("ell");
    g.argument("int", "rows", "rows");
    g.argument("int", "width", "ell.width");
    g.matrixArguments("ell");
    const std::string end = fmt::format("{} * {}", g.name("width"), rows);
    if (lanes == 1) {
        g.entry(fmt::format("ceil_div(rows, {})", block), block,
                {"ELL: one thread per row, stored by columns.", "All rows are padded to the same length.",
                 "Neighbouring threads read neighbouring words."});
        g.line(fmt::format("int {} = blockIdx.x * blockDim.x + threadIdx.x;", row));
        g.guard(row, rows);
        g.remark("The next entry of the row is one column further.");
        if (plain(g))
            g.dotLoop({row, end, rows, g.parameter("unroll"), 1});
        else
            sumBatches(g, row, end, rows);
        g.line(fmt::format("y[{}] = {};", row, g.name("sum")));
        g.endGuard();
        return;
    }
    // Lanes of one row stand 32 / T apart, so that neighbouring lanes read neighbouring rows.
    const std::string t = g.constant("T", lanes);
    const auto known = [&](std::int64_t number, const std::string& text) {
        return g.style().literalParameters ? std::to_string(number) : text;
    };
    const std::string apart = known(32 / lanes, fmt::format("(32 / {})", t));
    const std::string perBlock = known(g.parameter("block") / lanes, fmt::format("({} / {})", block, t));
    g.entry(fmt::format("ceil_div(rows, {} / {})", block, t), block,
            {fmt::format("ELL: {} lanes per row.", lanes), "Several lanes share a padded row.",
             "Each lane takes every T-th entry of its row."});
    g.line(fmt::format("int {} = {} / {};", lane, g.remainder("threadIdx.x", "32", 32), apart));
    g.line(fmt::format("int {} = blockIdx.x * {} + {} * {} + threadIdx.x % {};", row, perBlock,
                       g.quotient("threadIdx.x", "32", 32), apart, apart));
    g.line(fmt::format("float {} = 0;", g.name("sum")));
    g.open(fmt::format("if ({} < {})", row, rows));
    if (!plain(g)) {
        KernelText text(g);
        writeRowSum(g, text.stream(g.parameter("stream") != 0),
                    {fmt::format("{} + {} * {}", row, lane, rows),
                     end,
                     fmt::format("{} * {}", t, rows),
                     g.parameter("batch"),
                     g.name("col"),
                     g.name("val"),
                     {},
                     g.name("sum"),
                     g.parameter("predicate") != 0});
    } else {
        g.unroll(g.parameter("unroll"));
        const std::string& i = g.name("i");
        g.line(fmt::format("for (int {0} = {1} + {2} * {3}; {0} < {4}; {0} += {5} * {3})", i, row, lane, rows,
                           end, t));
        g.line("    " + g.term(g.name("sum"), fmt::format("{}[{}]", g.name("val"), i),
                               g.loadX(fmt::format("{}[{}]", g.name("col"), i))));
    }
    g.close();
    g.reduceLanes("16", apart);
    g.line(fmt::format("if ({0} == 0 && {1} < {2}) y[{1}] = {3};", lane, row, rows, g.name("sum")));
}

std::optional<SpmvWork> workEll(const SpmvMatrix& m, const FamilyParameters& p)
{
    SpmvWork w;
    w.bytes = m.entry * m.rows * m.longest;
    if (!m.storable(w.bytes))
        return std::nullopt;
    w.block = valueOf(p, "block");
    const double lanes = valueOf(p, "lanes");
    w.threads = m.rows * lanes;
    w.chain = w.typical = (lanes > 1 ? m.shuffles(std::log2(lanes)) : 0) + 2 * m.rounds(m.longest, lanes, p);
    w.instructions = w.threads * 18 + m.rows * m.longest * 9;
    w.inFlight = m.entry * std::max(2.0, valueOf(p, "batch"));
    w.reads = m.gathers(m.rows, m.longest, lanes, p) / std::max(m.nnz, 1.0);
    return w;
}

int recogniseEll(const ProgramShape& program)
{
    return program.names({"ell"}) ? 108 : 0;
}

} // namespace

KernelFamily ell()
{
    return {
        .family =
            {"S10",
             "ELL",
             "Rows padded to one length and stored by columns; good where all rows are nearly equally long.",
             {blockParameter(),
              {"lanes", "threads per row", {1, 2, 4, 8}},
              {"unroll", "steps of the plain inner loop per branch", {1, 2, 4, 8}},
              batchParameter(),
              predicateParameter(),
              streamParameter()},
             {"ell"}},
        .write = writeEll,
        .recognise = recogniseEll,
        .rules = SpmvRules{
            .grids = {{{"block", {128, 64, 256, 512}}, {"lanes", {1, 2, 4, 8}}, {"batch", {1, 2, 4, 8}}}},
            .work = workEll,
            .reason = reasonOfPadding,
            .fits = {{.weights = {1.03, 0.593, 1.07, 1.02, 0.146, 0.418, 0.416, 0.0419, 0.605, 1.01, 0.166,
                                  0.461, 0.723, 0, 0.0859},
                      .tail = -0.0354,
                      .factors = {{"batch", 1, 1.15},
                                  {"batch", 2, 0.884},
                                  {"batch", 4, 0.958},
                                  {"block", 64, 1.04},
                                  {"block", 256, 0.969},
                                  {"lanes", 1, 0.958},
                                  {"lanes", 2, 0.96},
                                  {"lanes", 8, 1.07},
                                  {"unroll", 1, 1.04}}}}}};
}

} // namespace sparserl::spmv
