// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmm/staged.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl::spmm {

void writeStaged(Grammar& g, const SpmmWriter::Shape& shape, std::int64_t stage, bool sorted)
{
    SpmmWriter w(g, shape);
    g.argument("int", "rows", "rows");
    if (sorted) {
        g.format("order");
        g.argument("const int*", "row_ids", "order.row_ids");
    }
    g.argument("const int*", "row_ptr", "csr.row_ptr");
    g.matrixArguments("csr");
    w.entry(w.grid("rows"),
            sorted ? std::vector<std::string>{"One-dimensional tiles, longest rows first.",
                                              "Row swizzle: neighbouring groups get rows of equal length.",
                                              "Tiles of A in shared memory, vectors of B."}
                   : std::vector<std::string>{"Coalesced row caching: entries of A in shared memory.",
                                              "A group of lanes loads its row's entries together.",
                                              "Every entry of A is read once per group."});
    const std::string tile =
        stage == 1 ? w.across() : w.known(shape.across * stage, fmt::format("{} * {}", w.across(), stage));
    const std::string& columns = g.name("col_cache");
    const std::string& values = g.name("val_cache");
    const std::string room =
        stage == 1 ? w.block() : w.known(shape.block * stage, fmt::format("{} * {}", w.block(), stage));
    g.line(fmt::format("__shared__ int {}[{}];", columns, room));
    g.line(fmt::format("__shared__ float {}[{}];", values, room));
    const std::string& lane = g.name("lane");
    const std::string& row = g.name("row");
    const std::string& first = g.name("first");
    g.line(fmt::format("int {} = {};", lane, g.remainder("threadIdx.x", w.across(), shape.across)));
    g.line(fmt::format("int {} = blockIdx.x * ({}) + {};", row, w.perBlock(),
                       g.quotient("threadIdx.x", w.across(), shape.across)));
    w.declareColumn(lane);
    // A group leaves as a whole: its lanes share the row.
    g.guard(row, g.name("rows"));
    if (sorted)
        g.line(fmt::format("{0} = {1}[{0}];", row, g.name("row_ids")));
    g.line(stage == 1 ? fmt::format("int {} = threadIdx.x - {};", first, lane)
                      : fmt::format("int {} = (threadIdx.x - {}) * {};", first, lane, stage));
    std::string sync = "__syncwarp();";
    if (shape.across < 32) {
        const std::string& mask = g.name("mask");
        g.line(fmt::format("unsigned {} = {}u << (threadIdx.x % 32 - {});", mask,
                           (std::uint64_t(1) << shape.across) - 1, lane));
        sync = fmt::format("__syncwarp({});", mask);
    }
    // Lanes beyond the last column help to load and compute a column that they do not store.
    const std::string& j = g.name("j");
    const std::string own = w.column(0);
    g.line(fmt::format("int {} = min({}, {} - 1);", own, j, g.name("dense_cols")));
    w.declareChunks();
    w.declareSums();
    const std::string& i = g.name("i");
    const std::string& k = g.name("k");
    const std::string& end = g.name("end");
    const std::string& count = g.name("count");
    g.line(fmt::format("int {} = {}[{} + 1];", end, g.name("row_ptr"), row));
    g.open(
        fmt::format("for (int {0} = {1}[{2}]; {0} < {3}; {0} += {4})", i, g.name("row_ptr"), row, end, tile));
    g.line(fmt::format("int {} = min({} - {}, {});", count, end, i, tile));
    if (stage == 1)
        g.open(fmt::format("if ({} < {})", lane, count));
    else
        g.open(fmt::format("for (int {0} = {1}; {0} < {2}; {0} += {3})", k, lane, count, w.across()));
    const std::string& place = stage == 1 ? lane : k;
    g.line(fmt::format("{}[{} + {}] = {}[{} + {}];", columns, first, place, g.name("col"), i, place));
    g.line(fmt::format("{}[{} + {}] = {}[{} + {}];", values, first, place, g.name("val"), i, place));
    g.close();
    g.line(sync);
    g.unroll(g.parameter("unroll"));
    g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", k, count));
    if (shape.vec == 1 && shape.chunks == 1) {
        w.addRow(fmt::format("{}[{} + {}]", values, first, k), fmt::format("{}[{} + {}]", columns, first, k));
    } else {
        g.line(fmt::format("float {} = {}[{} + {}];", g.name("a"), values, first, k));
        g.line(fmt::format("int {} = {}[{} + {}];", g.name("column"), columns, first, k));
        w.addRow(g.name("a"), g.name("column"));
    }
    g.close();
    g.remark("Nobody may overwrite the tile while others read it.");
    g.line(sync);
    g.close();
    w.store(row, "");
    g.endGuard();
}

SpmmWork stagedWork(const SpmmProgram& program, double first)
{
    const SpmvMatrix& m = program.m;
    const double tile = program.across * (program.has("stage") ? program.of("stage") : 1);
    const auto latencies = [&](double length) {
        return first + std::ceil(length / tile) * (1.5 + std::ceil(std::min(length, tile) / program.unroll));
    };
    SpmmWork w = program.groups(m.rows, 1, m.nnz, 1, 1);
    w.typical = latencies(program.typicalLength());
    w.chain = latencies(m.longest);
    w.inFlight = program.unroll * program.m.value * program.vec * program.chunks;
    return w;
}

} // namespace sparserl::spmm
