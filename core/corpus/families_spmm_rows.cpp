// SPDX-License-Identifier: Apache-2.0
// SpMM on the rows of CSR and its relatives: M1, M4, M7.
#include "corpus/family_table.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

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

/// How rows of a storage format are walked.
struct Rows
{
    std::string count = "rows";    ///< In the plan.
    std::string rowsRole = "rows"; ///< The argument that holds it.
    /// Begin and step of the walk for way `way` (an expression, or empty: one way), and the rest.
    SpmmWriter::Entries entries;
    std::string outRow;  ///< Where the sums go; empty: the row's own number.
    bool spread = false; ///< Sums over the ways end in different lanes for different columns.
};

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

/// `lanes` threads share a row: several rows per warp.
void writeGroupBody(Grammar& g, SpmmWriter& w, const std::string& firstBlock, const Rows& rows,
                    const std::function<void()>& atRow = {})
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

/// M4
void writeGroups(Grammar& g)
{
    SpmmWriter::Shape shape = groupShape(g);
    shape.stream = g.parameter("stream") != 0;
    SpmmWriter w(g, shape);
    csrArguments(g);
    w.entry(w.grid("rows"), groupComments(w.shape()));
    Rows rows;
    rows.entries = csrEntries(g, g.name("row"));
    rows.spread = g.parameter("spread") != 0;
    if (shape.stream) { // A is read once: it should not push B out of the caches.
        rows.entries.column = [&g](const std::string& i) { return "__ldcs(&" + element(g, "col", i) + ")"; };
        rows.entries.value = [&g](const std::string& i) { return "__ldcs(&" + element(g, "val", i) + ")"; };
    }
    writeGroupBody(g, w, "blockIdx.x", rows);
}

/// M7: as M4 with single columns per load, one or several of them per lane.
void writeParallel(Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.ways = std::max<std::int64_t>(2, g.parameter("lanes") / shape.across);
    shape.chunks = g.parameter("merge");
    SpmmWriter w(g, shape);
    csrArguments(g);
    w.entry(w.grid("rows"),
            {"Parallel reduction: lanes over the entries of a row.",
             "Lanes share a row and add up by shuffles.", "Each set of lanes takes every P-th entry."});
    Rows rows;
    rows.entries = csrEntries(g, g.name("row"));
    writeGroupBody(g, w, "blockIdx.x", rows);
}

/// M16: 16-bit column offsets from a base per row, in CSR or in sorted slices.
void writeShort(Grammar& g)
{
    const std::int64_t slice = g.parameter("slice");
    SpmmWriter w(g, groupShape(g));
    const std::string format = slice ? "sell16" : "csr16";
    if (slice) {
        g.format(fmt::format("sell16(slice={}, sigma={})", slice, g.parameter("sigma")));
        g.argument("int", "rows", fmt::format("sell16.slices * {}", slice));
        g.argument("const int*", "slice_ptr", "sell16.slice_ptr");
        g.argument("const int*", "row_ids", "sell16.row_ids");
    } else {
        g.format("csr16");
        g.argument("int", "rows", "rows");
        g.argument("const int*", "row_ptr", "csr16.row_ptr");
    }
    g.argument("const int*", "base", format + ".base");
    g.argument("const unsigned short*", "short_offset", format + ".off");
    g.argument("const float*", "val", format + ".val");
    g.vectorArguments();
    w.entry(w.grid(slice ? fmt::format("sell16.slices * {}", slice) : "rows"),
            {"16-bit column offsets from a base per row.", "Half the bytes for columns.",
             "Columns are a base and a short offset."});
    const std::string& row = g.name("row");
    const std::string& from = g.name("from");
    Rows rows;
    SpmmWriter::Entries entries = csrEntries(g, row);
    if (slice) {
        const std::string s = std::to_string(slice);
        const std::string which = g.quotient(row, s, slice);
        entries.begin = fmt::format("{}[{}] + {}", g.name("slice_ptr"), which, g.remainder(row, s, slice));
        entries.end = fmt::format("{}[{} + 1]", g.name("slice_ptr"), which);
        entries.step = s;
        rows.outRow = g.name("slot_row");
    }
    entries.column = [&g, from](const std::string& i) {
        return fmt::format("({} + {}[{}])", from, g.name("short_offset"), i);
    };
    rows.entries = entries;
    const auto bases = [&] {
        g.line(fmt::format("{} = {}[{}];", from, g.name("base"), row));
        if (slice)
            g.line(fmt::format("{} = {}[{}];", g.name("slot_row"), g.name("row_ids"), row));
    };
    g.line(slice ? fmt::format("int {} = 0, {} = -1;", from, g.name("slot_row"))
                 : fmt::format("int {} = 0;", from));
    writeGroupBody(g, w, "blockIdx.x", rows, bases);
}

/// M12: panels of columns one after another, so that all groups work on the same part of B.
void writePanels(Grammar& g)
{
    SpmmWriter w(g, groupShape(g));
    g.format(fmt::format("panels(width={})", g.parameter("width")));
    g.argument("int", "rows", "rows");
    g.argument("int", "panels", "panels.count");
    g.argument("const int*", "row_ptr", "panels.row_ptr");
    g.matrixArguments("panels");
    w.entry(w.grid("rows"),
            {"Panels of columns: all rows work on the same part of B.", "Cache blocking by column panels.",
             fmt::format("Panels of {} columns, one after another.", g.parameter("width"))});
    const SpmmWriter::Shape& shape = w.shape();
    const std::string& row = g.name("row");
    const std::string& lane = g.name("lane");
    const std::string& panel = g.name("panel");
    const std::string& ptr = g.name("panel_ptr");
    const bool product = shape.ways > 1 && shape.across > 1 && !g.style().literalParameters;
    const std::string by = product ? "(" + w.group() + ")" : w.group();
    g.line(fmt::format("int {} = {};", lane,
                       w.groupSize() == 1 ? "0" : g.remainder("threadIdx.x", by, w.groupSize())));
    g.line(fmt::format("int {} = blockIdx.x * ({}) + {};", row, w.perBlock(),
                       w.groupSize() == 1 ? "threadIdx.x" : g.quotient("threadIdx.x", by, w.groupSize())));
    w.declareColumn(shape.ways > 1 && shape.across > 1 ? g.remainder(lane, w.across(), shape.across) : lane);
    w.declareSums();
    g.open(fmt::format("if ({} < {} && {} < {})", row, g.name("rows"), g.name("j"), g.name("dense_cols")));
    g.open(fmt::format("for (int {0} = 0; {0} < {1}; {0}++)", panel, g.name("panels")));
    g.line(fmt::format("const int* {} = {} + (size_t){} * ({} + 1) + {};", ptr, g.name("row_ptr"), panel,
                       g.name("rows"), row));
    SpmmWriter::Entries entries = csrEntries(g, row);
    entries.begin = ptr + "[0]";
    if (shape.ways > 1) {
        entries.begin += " + " + (shape.across == 1 ? lane : g.quotient(lane, w.across(), shape.across));
        entries.step = w.ways();
    }
    entries.end = ptr + "[1]";
    entries.unroll = g.parameter("unroll");
    entries.batch = g.parameter("batch");
    w.entryLoop(entries);
    g.close();
    if (shape.ways == 1) {
        w.store(row, w.exists);
        g.close();
        return;
    }
    g.close();
    w.reduceWays();
    w.store(row, fmt::format("{} < {} && {} < {}", lane, w.across(), row, g.name("rows")));
}

/// M14 and M15: padded formats; neighbouring rows read neighbouring words.
void writePadded(Grammar& g, const std::string& format)
{
    SpmmWriter w(g, groupShape(g));
    const std::string& row = g.name("row");
    Rows rows;
    SpmmWriter::Entries entries = csrEntries(g, row);
    if (format == "ell") {
        g.format("ell");
        g.argument("int", "rows", "rows");
        g.argument("int", "width", "ell.width");
        entries.begin = row;
        entries.end = fmt::format("{} * {}", g.name("width"), g.name("rows"));
        entries.step = g.name("rows");
    } else {
        const std::int64_t slice = g.parameter("slice");
        const std::string s = std::to_string(slice);
        g.format(fmt::format("sell(slice={}, sigma={})", slice, g.parameter("sigma")));
        rows.count = fmt::format("sell.slices * {}", slice);
        g.argument("int", "rows", rows.count);
        g.argument("const int*", "slice_ptr", "sell.slice_ptr");
        g.argument("const int*", "row_ids", "sell.row_ids");
        const std::string which = g.quotient(row, s, slice);
        entries.begin = fmt::format("{}[{}] + {}", g.name("slice_ptr"), which, g.remainder(row, s, slice));
        entries.end = fmt::format("{}[{} + 1]", g.name("slice_ptr"), which);
        entries.step = s;
        rows.outRow = g.name("slot_row");
    }
    g.matrixArguments(format);
    w.entry(w.grid(rows.count), format == "ell"
                                    ? std::vector<std::string>{"ELL: all rows padded to one length.",
                                                               "Padded rows, stored by columns.",
                                                               "Entry k of all rows stands together."}
                                    : std::vector<std::string>{"Sorted rows in slices, padded per slice.",
                                                               "SELL: rows of a slice have similar length.",
                                                               "Slices of rows, stored by columns."});
    rows.entries = entries;
    if (rows.outRow.empty()) {
        writeGroupBody(g, w, "blockIdx.x", rows);
        return;
    }
    g.line(fmt::format("int {} = -1;", rows.outRow));
    writeGroupBody(g, w, "blockIdx.x", rows,
                   [&] { g.line(fmt::format("{} = {}[{}];", rows.outRow, g.name("row_ids"), row)); });
}

void writeSell(Grammar& g)
{
    writePadded(g, "sell");
}

void writeEll(Grammar& g)
{
    writePadded(g, "ell");
}

/// M19: a block per row.
void writeBlocks(Grammar& g)
{
    SpmmWriter::Shape shape;
    shape.block = g.parameter("block");
    shape.across = g.parameter("across");
    shape.ways = shape.block / shape.across;
    shape.vec = g.parameter("vec");
    shape.chunks = g.parameter("merge");
    SpmmWriter w(g, shape);
    g.argument("const int*", "row_ptr", "csr.row_ptr");
    g.matrixArguments("csr");
    w.entry(fmt::format("dim3(rows, {})", w.columnBlocks()),
            {"A block per row of A.", "The whole block shares a long row.",
             "Shuffles inside warps, then shared memory."});
    w.declarePartials(shape.chunks);
    const std::string& row = g.name("row");
    g.line(fmt::format("int {} = blockIdx.x;", row));
    w.declareColumn(g.remainder("threadIdx.x", w.across(), shape.across));
    w.declareChunks();
    w.declareSums();
    SpmmWriter::Entries entries = csrEntries(g, row);
    const std::string& i = g.name("i");
    const std::string& end = g.name("end");
    g.line(
        fmt::format("int {} = {} + {};", i, entries.begin,
                    shape.across == 1 ? "threadIdx.x" : g.quotient("threadIdx.x", w.across(), shape.across)));
    g.line(fmt::format("int {} = {} < {} ? {} : 0;", end, g.name("j"), g.name("dense_cols"), entries.end));
    entries.declared = true;
    entries.step = w.ways();
    entries.unroll = g.parameter("unroll");
    entries.batch = g.parameter("batch");
    w.entryLoop(entries);
    w.reduceBlock(w.sums());
    w.store(row, fmt::format("threadIdx.x < {}", w.across()));
}

} // namespace

std::vector<FamilyEntry> spmmRowFamilies()
{
    const FamilyParameter block = {"block", "threads per block", {128, 64, 256, 512}};
    const FamilyParameter across = {"across", "lanes side by side on columns", {2, 1, 4, 8}};
    const FamilyParameter vec = {"vec", "columns per load", {4, 2}};
    const FamilyParameter lanes = {
        "lanes", "lanes per row; more than across: several entries at once", {8, 2, 4, 16, 32}};
    const FamilyParameter unroll = {"unroll", "entries per step of a thread", {4, 1, 2, 8}};
    const FamilyParameter batch = {
        "batch", "0: plain loop; 1: masked batches; 2: batches with prefetch", {0, 1, 2}};
    return {
        {{"M1",
          "Row-split, thread per element",
          "Each thread computes one or a few elements of C, neighbours on neighbouring columns; the plain "
          "kernel for any number of columns.",
          {block,
           {"merge", "columns per thread", {1, 2, 4}},
           {"unroll", "steps of the inner loop per branch", {1, 2, 4, 8}}},
          {}},
         writeElements},
        {{"M4",
          "Vector loads, part of a warp per row",
          "Lanes that read 8 or 16 bytes each cover a row of B, and several such sets share a row of A; good "
          "for short and medium rows.",
          {block,
           across,
           vec,
           lanes,
           unroll,
           batch,
           {"spread", "1: each step of the reduction halves what a lane holds", {0, 1}},
           {"stream", "1: A and C pass the caches by, which are left to B", {0, 1}}},
          {}},
         writeGroups},
        {{"M7",
          "Parallel reduction",
          "Lanes take different entries of a row and add up by shuffles; good for few columns, or where "
          "they are not a multiple of 2.",
          {block,
           {"across", "lanes side by side on columns", {4, 1, 2, 8}},
           {"merge", "columns per lane", {1, 2, 4}},
           {"lanes", "lanes per row", {32, 8, 16}},
           unroll,
           batch},
          {}},
         writeParallel},
        {{"M12",
          "Column panels",
          "The columns of A in panels that all rows walk one after another, so that the part of B in use "
          "stays "
          "in cache; good where B is larger than the caches.",
          {block,
           across,
           vec,
           lanes,
           unroll,
           {"batch", "0: plain loop; 1: masked batches", {0, 1}},
           {"width", "columns per panel", {16384, 1024, 4096, 65536}}},
          {"panels"}},
         writePanels},
        {{"M14",
          "SELL-C-sigma, part of a warp per row",
          "Sorted rows in padded slices with vector loads of B; good for short rows of similar length.",
          {block,
           across,
           vec,
           lanes,
           unroll,
           batch,
           {"slice", "rows per slice", {16, 8, 32}},
           {"sigma", "rows per sorting window", {256, 64, 1024}}},
          {"sell"}},
         writeSell},
        {{"M15",
          "ELL, part of a warp per row",
          "All rows padded to one length with vector loads of B; good where rows are equally long.",
          {block, across, vec, lanes, unroll, batch},
          {"ell"}},
         writeEll},
        {{"M16",
          "16-bit columns",
          "Columns as 16-bit offsets from a base per row, in CSR or in sorted slices; good where rows span "
          "fewer than 65,536 columns and A is most of the traffic.",
          {block,
           across,
           vec,
           lanes,
           unroll,
           batch,
           {"slice", "rows per slice; 0: CSR", {16, 0, 32}},
           {"sigma", "rows per sorting window of slices", {256, 1024}}},
          {"csr16", "sell16"}},
         writeShort},
        {{"M19",
          "Block per row",
          "A block shares a row and adds up by shuffles and in shared memory; good for few rows of hundreds "
          "of "
          "entries.",
          {{"block", "threads per block and row", {128, 64, 256}},
           {"across", "lanes side by side on columns", {2, 4, 8}},
           {"vec", "columns per load", {4, 1, 2}},
           {"merge", "loads per lane and entry", {1, 2}},
           unroll,
           batch},
          {}},
         writeBlocks},
    };
}

} // namespace sparserl
