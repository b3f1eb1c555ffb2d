// SPDX-License-Identifier: Apache-2.0
// M16: 16-bit column offsets from a base per row, in CSR or in sorted slices.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/groups.h"
#include "corpus/spmm/padded_rows.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm_portfolio.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
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

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    const MatrixFeatures& f = p.features();
    if ((pass != SpmmPass::Rows && pass != SpmmPass::Others) || p.vec() == 1)
        return;
    const auto one = [&](std::int64_t lanes, std::int64_t unroll, std::int64_t batch, std::int64_t slice,
                         std::int64_t sigma, double score, const std::string& reason) {
        p.add({{"block", 128},
               {"across", p.across()},
               {"vec", p.vec()},
               {"lanes", lanes},
               {"unroll", unroll},
               {"batch", batch},
               {"slice", slice},
               {"sigma", sigma}},
              score, reason);
    };
    const std::int64_t lanes = p.lanesFor(4);
    if (pass == SpmmPass::Rows && (f.cols <= 65536 || 2 * f.bandwidthMax < 65536)) {
        const std::string reason = fmt::format("columns fit into 16 bits; {}", p.lengths());
        one(lanes, stepFor(p, lanes), 1, 0, 256, 0.82 * p.evenness(), reason);
        one(lanes, 4, p.perLane(lanes) > 6 ? 2 : 0, 0, 256, 0.76 * p.evenness(), reason);
    }
    if (pass == SpmmPass::Others && f.cols <= 65536) {
        const std::int64_t inSlices = std::min<std::int64_t>(lanes, 16);
        one(inSlices, p.perLane(inSlices) <= 2 ? 2 : 4, 1, 16, sortingWindow(p) > 256 ? 1024 : 256,
            0.8 * slicesScore(p), paddingReason(p));
    }
}

int recognise(const ProgramShape& program)
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
            .recognise = recognise,
            .rules = SpmmRules{.propose = propose, .firstTries = 3, .place = 3}};
}

} // namespace sparserl::spmm
