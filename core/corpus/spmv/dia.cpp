// SPDX-License-Identifier: Apache-2.0
// S13: stored by diagonals, without column indices.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/kernel_text.h"
#include "corpus/program_shape.h"
#include "corpus/spmv_work.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl::spmv {

namespace {

std::string reasonOfDiagonals(const MatrixFeatures& features)
{
    return fmt::format("{} diagonals, {:.0f} % filled", features.diagonals, 100 * features.diagonalFill);
}

/// Several rows a thread, a block apart; with `clamp` no branch stands between the loads: a slot outside the
/// matrix holds 0, so any entry of x will do.
void writeDiaRows(Grammar& g, const std::string& block)
{
    const std::int64_t many = g.parameter("rows");
    KernelText text(g);
    text.set("BLOCK", block).set("MANY", many);
    g.entry(many == 1 ? fmt::format("ceil_div(rows, {})", block)
                      : fmt::format("ceil_div(rows, {} * {})", block, many),
            block,
            {fmt::format("DIA: {} rows per thread.", many), "Columns follow from the diagonal's offset.",
             "No column indices are read."});
    const bool clamp = g.parameter("clamp") != 0;
    text.set("N", g.parameter("unroll"));
    // With clamps all loads of N diagonals are in flight together, the last of them repeated where N does not
    // divide their number.
    const auto diagonals = [&](const std::string& sum, const std::string& row) {
        text.set("SUM", sum).set("ROW", row).set("D", g.name(clamp ? "k" : "d"));
        if (clamp) {
            text.write(R"(
                for (int $d = 0; $d < $diagonals; $d += @N) {
                $unroll[@N]
                for (int $p = 0; $p < @N; $p++) {
                int $k = min($d + $p, $diagonals - 1);)");
        } else {
            text.write(R"(
                $unroll[@N]
                for (int $d = 0; $d < $diagonals; $d++) {)");
        }
        if (many > 1)
            text.write(R"(
                $unroll[@MANY]
                for (int $u = 0; $u < @MANY; $u++) {
                int $row = min($first + $u * @BLOCK, $rows - 1);)");
        text.write("int $column = @ROW + $diagonal_offset[@D];");
        if (clamp)
            text.write(R"(
                float $a = $d + $p < $diagonals ? $val[@D * $rows + @ROW] : 0.0f;
                $mad[@SUM; $a; $x[min(max($column, 0), $cols - 1)]])");
        else
            text.write(
                "if ($column >= 0 && $column < $cols) $mad[@SUM; $val[@D * $rows + @ROW]; $x[$column]]");
        text.write("}");
        if (clamp)
            text.write("}");
        if (many > 1)
            text.write("}");
    };
    if (many == 1) {
        text.write(R"(
            int $row = blockIdx.x * blockDim.x + threadIdx.x;
            $guard[$row;$rows]
            float $sum = 0;)");
        diagonals(g.name("sum"), g.name("row"));
        text.write(R"(
            y[$row] = $sum;
            $endguard)");
        return;
    }
    text.write(R"(
        int $first = blockIdx.x * (@BLOCK * @MANY) + threadIdx.x;
        float $sum[@MANY] = {};)");
    diagonals(text.expand("$sum[$u]"), g.name("row"));
    text.write(R"(
        $unroll[@MANY]
        for (int $u = 0; $u < @MANY; $u++) {
        if ($first + $u * @BLOCK < $rows) y[$first + $u * @BLOCK] = $sum[$u];
        })");
}

void writeDia(Grammar& g)
{
    const bool clamp = g.parameter("clamp") != 0;
    const std::int64_t many = g.parameter("rows");
    const std::string block = g.constant("BLOCK", g.parameter("block"));
    g.format("dia");
    g.argument("int", "rows", "rows");
    g.argument("int", "cols", "cols");
    g.argument("int", "diagonals", "dia.diagonals");
    g.argument("const int*", "diagonal_offset", "dia.offset");
    g.argument("const float*", "val", "dia.val");
    g.vectorArguments();
    if (clamp || many > 1) {
        writeDiaRows(g, block);
        return;
    }
    g.entry(fmt::format("ceil_div(rows, {})", block), block,
            {"DIA: one thread per row, one step per diagonal.", "Columns follow from the diagonal's offset.",
             "No column indices are read."});
    const std::string& row = g.name("row");
    const std::string& sum = g.name("sum");
    const std::string& d = g.name("d");
    const std::string& c = g.name("column");
    g.line(fmt::format("int {} = blockIdx.x * blockDim.x + threadIdx.x;", row));
    g.guard(row, g.name("rows"));
    g.line(fmt::format("float {} = 0;", sum));
    g.unroll(g.parameter("unroll"));
    g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", d, g.name("diagonals")));
    g.line(fmt::format("int {} = {} + {}[{}];", c, row, g.name("diagonal_offset"), d));
    g.remark("Diagonals leave the matrix at its edges.");
    g.line(fmt::format(
        "if ({0} >= 0 && {0} < {1}) {2}", c, g.name("cols"),
        g.term(sum, fmt::format("{}[{} * {} + {}]", g.name("val"), d, g.name("rows"), row), g.loadX(c))));
    g.close();
    g.line(fmt::format("y[{}] = {};", row, sum));
    g.endGuard();
}

std::optional<SpmvWork> workDia(const SpmvMatrix& m, const FamilyParameters& p)
{
    SpmvWork w;
    const auto diagonals = static_cast<double>(m.features.diagonals);
    w.bytes = m.value * diagonals * m.rows;
    if (m.features.diagonals < 1 || m.features.diagonals > 512 || !m.storable(w.bytes))
        return std::nullopt;
    w.block = valueOf(p, "block");
    const double many = valueOf(p, "rows");
    w.threads = m.rows / many;
    const double together = valueOf(p, "unroll");
    w.chain = w.typical =
        1.5 * (valueOf(p, "clamp") == 1 ? std::ceil(diagonals / together)
                                        : std::floor(diagonals / together) + std::fmod(diagonals, together));
    w.instructions = m.rows * (12 + diagonals * (valueOf(p, "clamp") == 1 ? 8 : 9));
    w.inFlight = m.value * std::min(valueOf(p, "unroll"), diagonals) * many;
    w.gather = 0.5;
    return w;
}

int recogniseDia(const ProgramShape& program)
{
    return program.names({"dia"}) ? 107 : 0;
}

} // namespace

KernelFamily dia()
{
    return {
        .family =
            {"S13",
             "DIA",
             "Stored by diagonals, without column indices; good for matrices of few, well filled diagonals.",
             {blockParameter(),
              {"unroll", "diagonals per branch", {1, 2, 4, 8, 16}},
              {"clamp", "1: columns are clamped to the matrix instead of skipped", {0, 1}},
              {"rows", "rows per thread", {1, 2, 4}}},
             {"dia"}},
        .write = writeDia,
        .recognise = recogniseDia,
        .rules = SpmvRules{.grids = {{{"block", {128, 64, 256}},
                                      {"unroll", {4, 8, 16}},
                                      {"clamp", {1}},
                                      {"rows", {1, 2, 4}}}},
                           .work = workDia,
                           .reason = reasonOfDiagonals,
                           .fits = {{.weights = {1.77, 0.618, 1.11, 0.307, 0.109, 0.415, 0.481, 0, 0.626,
                                                 1.03, 0.151, 0.452, 0.754, 0, 0.102},
                                     .tail = 0,
                                     .factors = {{"block", 64, 1.07},
                                                 {"block", 256, 0.937},
                                                 {"rows", 1, 0.937},
                                                 {"rows", 2, 1.04},
                                                 {"unroll", 4, 0.9},
                                                 {"unroll", 16, 1.12}}}}}};
}

} // namespace sparserl::spmv
