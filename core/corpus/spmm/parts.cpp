// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmm/parts.h"

#include "corpus/spmm/groups.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::spmm {

SpmmWriter::Entries entriesOf(Grammar& g, const char* column, const char* value)
{
    SpmmWriter::Entries entries;
    entries.column = [&g, column](const std::string& i) { return element(g, column, i); };
    entries.value = [&g, value](const std::string& i) { return element(g, value, i); };
    entries.declared = true;
    entries.unroll = g.parameter("unroll");
    return entries;
}

SpmmWriter::Shape shapeOf(const Grammar& g, std::int64_t lanes)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.ways = std::max<std::int64_t>(1, lanes / shape.across);
    shape.vec = g.parameter("vec");
    return shape;
}

std::string groupInBlock(Grammar& g, const SpmmWriter& w)
{
    const bool product = w.shape().ways > 1 && w.shape().across > 1 && !g.style().literalParameters;
    const std::string by = product ? "(" + w.group() + ")" : w.group();
    return w.groupSize() == 1 ? "threadIdx.x" : g.quotient("threadIdx.x", by, w.groupSize());
}

std::string laneInGroup(Grammar& g, const SpmmWriter& w)
{
    const bool product = w.shape().ways > 1 && w.shape().across > 1 && !g.style().literalParameters;
    const std::string by = product ? "(" + w.group() + ")" : w.group();
    return w.groupSize() == 1 ? "0" : g.remainder("threadIdx.x", by, w.groupSize());
}

std::string wayOf(Grammar& g, const SpmmWriter& w, const std::string& lane)
{
    return w.shape().across == 1 ? lane : g.quotient(lane, w.across(), w.shape().across);
}

std::string sideOf(Grammar& g, const SpmmWriter& w, const std::string& lane)
{
    return w.shape().ways == 1 || w.shape().across == 1 ? lane
                                                        : g.remainder(lane, w.across(), w.shape().across);
}

void writeShortRows(Grammar& g, SpmmWriter& w, const std::string& block, const std::string& prefix,
                    bool padded)
{
    const std::string& role = prefix;
    const auto named = [&](const char* what) { return g.name(role + what); };
    const std::string& row = g.name("row");
    const std::string& lane = g.name("lane");
    const std::string& i = g.name("i");
    const std::string& end = g.name("end");
    const std::string& j = g.name("j");
    g.line(fmt::format("int {} = {};", lane, laneInGroup(g, w)));
    g.line(fmt::format("int {} = {} * ({}) + {};", row, block, w.perBlock(), groupInBlock(g, w)));
    w.declareColumn(sideOf(g, w, lane));
    w.declareSums();
    const std::string& out = g.name("slot_row");
    g.line(fmt::format("int {} = 0, {} = 0, {} = 0;", i, end, out));
    g.open(fmt::format("if ({} < {} && {} < {})", row, named("rows"), j, g.name("dense_cols")));
    const bool ways = w.shape().ways > 1;
    std::string step = w.ways();
    if (padded) {
        step = ways ? fmt::format("{} * {}", w.ways(), named("rows")) : named("rows");
        g.line(
            fmt::format("{} = {}{};", i, row,
                        ways ? fmt::format(" + {} * {}", wayOf(g, w, lane), named("rows")) : std::string()));
        g.line(fmt::format("{} = {} * {};", end, named("width"), named("rows")));
    } else {
        g.line(fmt::format("{} = {}[{}]{};", i, named("ptr"), row,
                           ways ? " + " + wayOf(g, w, lane) : std::string()));
        g.line(fmt::format("{} = {}[{} + 1];", end, named("ptr"), row));
    }
    g.line(fmt::format("{} = {}[{}];", out, named("ids"), row)); // Early: nothing waits for it.
    g.close();
    SpmmWriter::Entries entries;
    entries.column = [named](const std::string& at) { return fmt::format("{}[{}]", named("col"), at); };
    entries.value = [named](const std::string& at) { return fmt::format("{}[{}]", named("val"), at); };
    entries.declared = true;
    entries.unroll = g.parameter("unroll");
    entries.batch = g.parameter("batch");
    entries.step = step;
    w.entryLoop(entries);
    w.reduceWays();
    std::string test = fmt::format("{} < {}", row, named("rows"));
    if (ways)
        test += fmt::format(" && {} < {}", lane, w.across());
    w.store(out, test);
}

void writeLongRows(Grammar& g, SpmmWriter& w, bool pieces)
{
    const std::string& row = g.name("row");
    const std::string& i = g.name("i");
    const std::string& end = g.name("end");
    const std::string& j = g.name("j");
    const std::string way = w.shape().across == 1 ? std::string("threadIdx.x")
                                                  : g.quotient("threadIdx.x", w.across(), w.shape().across);
    w.declareColumn(g.remainder("threadIdx.x", w.across(), w.shape().across));
    SpmmWriter::Entries entries;
    entries.column = [&g](const std::string& at) { return element(g, "long_col", at); };
    entries.value = [&g](const std::string& at) { return element(g, "long_val", at); };
    entries.declared = true;
    entries.unroll = g.parameter("unroll");
    entries.batch = g.parameter("batch");
    entries.step = w.ways();
    if (!pieces) {
        w.declareSums();
        g.line(fmt::format("int {} = blockIdx.x;", row));
        g.line(fmt::format("int {} = {};", g.name("slot_row"), element(g, "long_ids", row)));
        g.line(fmt::format("int {} = {} + {};", i, element(g, "long_ptr", row), way));
        g.line(fmt::format("int {} = {} < {} ? {} : 0;", end, j, g.name("dense_cols"),
                           element(g, "long_ptr", row + " + 1")));
        w.entryLoop(entries);
        w.reduceBlock(w.sums());
        w.store(g.name("slot_row"), fmt::format("threadIdx.x < {}", w.across()));
        return;
    }
    const std::string& last = g.name("last_row");
    g.line(fmt::format("int {} = {};", last, element(g, "tile_row", "blockIdx.x + 1")));
    g.open(fmt::format("for (int {0} = {1}; {0} <= {2} && {0} < {3}; {0}++)", row,
                       element(g, "tile_row", "blockIdx.x"), last, g.name("long_rows")));
    g.line(fmt::format("int {} = max({}, {});", i, element(g, "tile_entry", "blockIdx.x"),
                       element(g, "long_ptr", row)));
    g.line(fmt::format("int {} = min({}, {});", end, element(g, "tile_entry", "blockIdx.x + 1"),
                       element(g, "long_ptr", row + " + 1")));
    g.line(fmt::format("if ({} >= {}) continue;", i, end));
    w.declareSums();
    g.line(fmt::format("{} += {};", i, way));
    g.line(fmt::format("if ({} >= {}) {} = 0;", j, g.name("dense_cols"), end));
    w.entryLoop(entries);
    w.reduceBlock(w.sums());
    w.storeAtomically(element(g, "long_ids", row), fmt::format("threadIdx.x < {}", w.across()));
    g.remark("The partial sums are read before the next row writes them.");
    g.line("__syncthreads();");
    g.close();
}

void shortArguments(Grammar& g)
{
    g.argument("int", "short_rows", "low.rows");
    g.argument("const int*", "short_ids", "low.row_ids");
    g.argument("const int*", "short_ptr", "low.row_ptr");
    g.argument("const int*", "short_col", "low.col");
    g.argument("const float*", "short_val", "low.val");
}

void longArguments(Grammar& g, bool pieces)
{
    if (pieces) {
        g.argument("int", "long_rows", "high.rows");
        g.argument("const int*", "tile_row", "pieces.row");
        g.argument("const int*", "tile_entry", "pieces.nz");
    }
    g.argument("const int*", "long_ids", "high.row_ids");
    g.argument("const int*", "long_ptr", "high.row_ptr");
    g.argument("const int*", "long_col", "high.col");
    g.argument("const float*", "long_val", "high.val");
}

} // namespace sparserl::spmm
