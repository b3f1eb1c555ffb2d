// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmm/padded_rows.h"

#include "corpus/spmm/groups.h"

#include <fmt/format.h>

namespace sparserl::spmm {

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
    rows.entries = std::move(entries);
    if (rows.outRow.empty()) {
        writeGroupBody(g, w, "blockIdx.x", rows);
        return;
    }
    g.line(fmt::format("int {} = -1;", rows.outRow));
    writeGroupBody(g, w, "blockIdx.x", rows,
                   [&] { g.line(fmt::format("{} = {}[{}];", rows.outRow, g.name("row_ids"), row)); });
}

std::optional<SpmmWork> slicedWork(const SpmmProgram& program, double entryBytes)
{
    const SpmvMatrix& m = program.m;
    const double pad = program.sliceFill();
    SpmmWork w = program.groups(m.rows, program.ways(), m.nnz * pad, program.typicalLength(), m.longest);
    w.bytes = m.nnz * pad * entryBytes + m.rows * 8;
    return m.storable(w.bytes) ? std::optional(w) : std::nullopt;
}

} // namespace sparserl::spmm
