// SPDX-License-Identifier: Apache-2.0
// M16: 16-bit column offsets from a base per row, in CSR or in sorted slices.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/groups.h"
#include "corpus/spmm/padded_rows.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm/reasons.h"
#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <fmt/format.h>

namespace sparserl::spmm {

namespace {

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
    rows.entries = std::move(entries);
    const auto bases = [&] {
        g.line(fmt::format("{} = {}[{}];", from, g.name("base"), row));
        if (slice)
            g.line(fmt::format("{} = {}[{}];", g.name("slot_row"), g.name("row_ids"), row));
    };
    g.line(slice ? fmt::format("int {} = 0, {} = -1;", from, g.name("slot_row"))
                 : fmt::format("int {} = 0;", from));
    writeGroupBody(g, w, "blockIdx.x", rows, bases);
}

std::optional<SpmmWork> workShortColumns(const SpmmProgram& program)
{
    const MatrixFeatures& f = program.m.features;
    const bool slices = program.of("slice") > 0;
    if (f.cols > 65536 && (slices || 2 * f.bandwidthMax >= 65536))
        return std::nullopt;
    if (slices)
        return slicedWork(program, program.m.entryWith(true));
    SpmmWork w = program.rowGroups();
    w.bytes = program.m.csrBytes(true);
    return w;
}

std::string reasonOfShortColumns(const MatrixFeatures& features, const TargetVariant& variant)
{
    return fmt::format("columns fit into 16 bits; {}", reasonOfLengths(features, variant));
}

int recogniseShortColumns(const ProgramShape& program)
{
    return program.names({"csr16", "sell16"}) ? 105 : 0;
}

} // namespace

KernelFamily shortColumns()
{
    return {.family = {"M16",
                       "16-bit columns",
                       "Columns as 16-bit offsets from a base per row, in CSR or in sorted slices; good "
                       "where rows span fewer than 65,536 columns and A is most of the traffic.",
                       {blockParameter(),
                        acrossParameter(),
                        vecParameter({4, 2}),
                        lanesParameter(),
                        unrollParameter(),
                        batchesParameter(),
                        {"slice", "rows per slice; 0: CSR", {16, 0, 32}},
                        {"sigma", "rows per sorting window of slices", {256, 1024}}},
                       {"csr16", "sell16"}},
            .write = writeShort,
            .recognise = recogniseShortColumns,
            .rules = SpmmRules{.grids = {{{"block", {128}},
                                          {"across", {2, 4, 8}},
                                          {"vec", {4, 2}},
                                          {"lanes", {8, 2, 4, 16, 32}},
                                          {"unroll", {4, 1, 2, 8}},
                                          {"batch", {1, 0, 2}},
                                          {"slice", {0}}},
                                         {{"block", {128}},
                                          {"across", {2, 4, 8}},
                                          {"vec", {4, 2}},
                                          {"lanes", {8, 2, 4, 16}},
                                          {"unroll", {2, 4}},
                                          {"batch", {1}},
                                          {"slice", {16}},
                                          {"sigma", {256, 1024}}}},
                               .work = workShortColumns,
                               .reason = reasonOfShortColumns,
                               .fits = {{.weights = {1.29, 0.724, 2.12, 0.979, 0.00593, 1.26, 0.316, 0, 0.611,
                                                     0.0406, 0, 0.558, 0.372, 0.204, 0.452, 0.399},
                                         .tail = 0.223,
                                         .factors = {{"across", 8, 0.941},
                                                     {"batch", 0, 0.939},
                                                     {"batch", 2, 1.07},
                                                     {"block", 512, 0.962},
                                                     {"lanes", 4, 0.96},
                                                     {"lanes", 32, 1.04},
                                                     {"sigma", 256, 0.943},
                                                     {"sigma", 1024, 1.06},
                                                     {"unroll", 1, 0.885},
                                                     {"unroll", 2, 0.932},
                                                     {"unroll", 4, 1.08},
                                                     {"unroll", 8, 1.13}}}}}};
}

} // namespace sparserl::spmm
