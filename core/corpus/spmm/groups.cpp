// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmm/groups.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::spmm {

void csrArguments(Grammar& g)
{
    g.argument("int", "rows", "rows");
    g.argument("const int*", "row_ptr", "csr.row_ptr");
    g.matrixArguments("csr");
}

std::string element(Grammar& g, const char* role, const std::string& index)
{
    return fmt::format("{}[{}]", g.name(role), index);
}

SpmmWriter::Entries csrEntries(Grammar& g, const std::string& row)
{
    SpmmWriter::Entries entries;
    entries.begin = element(g, "row_ptr", row);
    entries.end = element(g, "row_ptr", row + " + 1");
    entries.column = [&g](const std::string& i) { return element(g, "col", i); };
    entries.value = [&g](const std::string& i) { return element(g, "val", i); };
    return entries;
}

SpmmWriter::Shape groupShape(const Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.ways = std::max<std::int64_t>(1, g.parameter("lanes") / shape.across);
    shape.vec = g.parameter("vec");
    return shape;
}

std::vector<std::string> groupComments(const SpmmWriter::Shape& shape)
{
    return {fmt::format("{} lanes of {} columns, {} entries of a row at once.", shape.across, shape.vec,
                        shape.ways),
            "Lanes side by side read a row of B together.", "Parts of a warp share the rows of A."};
}

void writeGroupBody(Grammar& g, SpmmWriter& w, const std::string& firstBlock, const Rows& rows,
                    const std::function<void()>& atRow)
{
    const SpmmWriter::Shape& shape = w.shape();
    const std::string& row = g.name("row");
    const std::string& lane = g.name("lane");
    const std::string size = w.group();
    const bool product = shape.ways > 1 && shape.across > 1 && !g.style().literalParameters;
    const std::string by = product ? "(" + size + ")" : size;
    if (w.groupSize() > 1) {
        g.line(fmt::format("int {} = {};", lane, g.remainder("threadIdx.x", by, w.groupSize())));
        g.line(fmt::format("int {} = {} * ({}) + {};", row, firstBlock, w.perBlock(),
                           g.quotient("threadIdx.x", by, w.groupSize())));
    } else {
        g.line(fmt::format("int {} = {} * {} + threadIdx.x;", row, firstBlock, w.block()));
    }
    w.declareColumn(shape.ways > 1 && shape.across > 1 ? g.remainder(lane, w.across(), shape.across) : lane);
    w.declareChunks();
    w.declareSums();
    const std::string test =
        fmt::format("{} < {} && {} < {}", row, g.name(rows.rowsRole), g.name("j"), g.name("dense_cols"));
    SpmmWriter::Entries entries = rows.entries;
    entries.unroll = g.parameter("unroll");
    entries.batch = g.parameter("batch");
    const std::string out = rows.outRow.empty() ? row : rows.outRow;
    if (shape.ways == 1) {
        g.open(fmt::format("if ({})", test));
        if (atRow)
            atRow();
        w.entryLoop(entries);
        w.store(out, rows.outRow.empty() ? w.exists : out + " >= 0");
        g.close();
        return;
    }
    const std::string way = shape.across == 1 ? lane : g.quotient(lane, w.across(), shape.across);
    const std::string& i = g.name("i");
    const std::string& end = g.name("end");
    g.line(fmt::format("int {} = 0, {} = 0;", i, end));
    g.open(fmt::format("if ({})", test));
    if (atRow)
        atRow();
    const bool unit = entries.step == "1";
    g.line(fmt::format("{} = {} + {}{};", i, entries.begin, way, unit ? "" : " * " + entries.step));
    g.line(fmt::format("{} = {};", end, entries.end));
    g.close();
    entries.declared = true;
    entries.step = unit ? w.ways() : fmt::format("{} * {}", w.ways(), entries.step);
    w.entryLoop(entries);
    if (rows.spread) {
        w.reduceSpreadAndStore(lane, out, fmt::format("{} < {}", row, g.name(rows.rowsRole)));
        return;
    }
    w.reduceWays();
    w.store(out, fmt::format("{} < {} && {}", lane, w.across(),
                             rows.outRow.empty() ? fmt::format("{} < {}", row, g.name(rows.rowsRole))
                                                 : out + " >= 0"));
}

} // namespace sparserl::spmm
