// SPDX-License-Identifier: Apache-2.0
// M12: panels of columns, so that all groups work on the same part of B.
#include "corpus/families.h"
#include "corpus/family_parameters.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/groups.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm_work.h"
#include "corpus/spmm_writer.h"

#include <cmath>
#include <fmt/format.h>

namespace sparserl::spmm {

namespace {

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

std::optional<SpmmWork> workSpmmColumnPanels(const SpmmProgram& program)
{
    const double panels = std::ceil(program.m.cols / program.of("width"));
    if (panels < 2)
        return std::nullopt;
    SpmmWork w = program.rowGroups();
    w.bytes = program.m.entry * program.m.nnz + 4 * program.m.rows * panels;
    w.typical += (panels - 1) * 1.5;
    w.chain += (panels - 1) * 1.5;
    w.instructions += w.threads * panels * 12;
    return program.m.storable(w.bytes) ? std::optional(w) : std::nullopt;
}

std::string reasonOfB(const MatrixFeatures& features, const TargetVariant& variant)
{
    const double bytes = static_cast<double>(sizeOf(variant.type)) * static_cast<double>(features.cols) *
                         static_cast<double>(variant.columns);
    return fmt::format("B takes {:.0f} MB", bytes / 1e6);
}

int recogniseSpmmColumnPanels(const ProgramShape& program)
{
    return program.names({"panels"}) ? 109 : 0;
}

} // namespace

KernelFamily columnPanels()
{
    return {.family = {"M12",
                       "Column panels",
                       "The columns of A in panels that all rows walk one after another, so that the part of "
                       "B in use stays in cache; good where B is larger than the caches.",
                       {blockParameter(),
                        acrossParameter(),
                        vecParameter({4, 2}),
                        lanesParameter(),
                        unrollParameter(),
                        {"batch", "0: plain loop; 1: masked batches", {0, 1}},
                        {"width", "columns per panel", {16384, 1024, 4096, 65536}}},
                       {"panels"}},
            .write = writePanels,
            .recognise = recogniseSpmmColumnPanels,
            .rules = SpmmRules{.grids = {{{"block", {256}},
                                          {"across", {2, 4, 8}},
                                          {"vec", {4, 2}},
                                          {"lanes", {8, 2, 4, 16}},
                                          {"unroll", {4}},
                                          {"batch", {0, 1}},
                                          {"width", {16384, 4096, 65536}}}},
                               .work = workSpmmColumnPanels,
                               .reason = reasonOfB,
                               .fits = {{.weights = {1.41, 0.722, 2.12, 0.65, 0.264, 1.25, 0.304, 0.0038,
                                                     0.612, 0.0402, 0, 0.595, 0.808, 0.203, 0.449, 0.398},
                                         .tail = 0.135,
                                         .factors = {{"across", 1, 1.04},
                                                     {"across", 8, 0.958},
                                                     {"block", 128, 0.949},
                                                     {"block", 512, 1.04},
                                                     {"lanes", 4, 0.949},
                                                     {"lanes", 16, 1.07},
                                                     {"lanes", 32, 0.946},
                                                     {"unroll", 1, 0.895},
                                                     {"unroll", 4, 1.04},
                                                     {"unroll", 8, 1.08},
                                                     {"width", 1024, 1.05},
                                                     {"width", 4096, 0.958}}}}}};
}

} // namespace sparserl::spmm
