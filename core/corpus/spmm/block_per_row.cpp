// SPDX-License-Identifier: Apache-2.0
// M19: a block per row.
#include "corpus/families.h"
#include "corpus/program_shape.h"
#include "corpus/spmm/groups.h"
#include "corpus/spmm/parameters.h"
#include "corpus/spmm_portfolio.h"
#include "corpus/spmm_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::spmm {

namespace {

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

void propose(SpmmPortfolio& p, SpmmPass pass)
{
    if (pass != SpmmPass::Rows && pass != SpmmPass::Slices)
        return;
    const MatrixFeatures& f = p.features();
    const double fewRows = falling(static_cast<double>(f.rows), 1500, 20000);
    const double longest = static_cast<double>(f.rowQ99);
    // What a lane of a warp alone would have of a row.
    const double alone = p.typical() * static_cast<double>(p.across()) / 32;
    const double longRows = std::max(rising(alone, 1.5, 8), fewRows * rising(longest, 16, 64));
    if (longRows <= 0)
        return;
    const double score = 0.98 * longRows * (0.6 + 0.4 * std::max(fewRows, rising(alone, 4, 32)));
    const std::string reason = fmt::format("{} rows of mean length {:.0f}", f.rows, p.mean());
    const auto one = [&](std::int64_t block, std::int64_t unroll, std::int64_t batch, double factor) {
        p.add({{"block", block},
               {"across", std::max<std::int64_t>(2, p.across())},
               {"vec", p.vec()},
               {"merge", 1},
               {"unroll", unroll},
               {"batch", batch}},
              score * factor, reason);
    };
    // About four entries per thread; on an idle device of the long rows.
    const double length = std::max(p.mean(), fewRows * longest);
    const std::int64_t block =
        std::clamp<std::int64_t>(powerAbove(length * static_cast<double>(p.across()) / 4, 64, 256), 64, 256);
    one(block, 4, 1, 1);
    if (pass == SpmmPass::Slices) {
        one(std::min<std::int64_t>(256, block * 2), 2, 1, 0.95);
        return;
    }
    one(std::max<std::int64_t>(64, block / 2), 4, 1, 0.97);
    one(std::max<std::int64_t>(64, block / 2), 8, 1, 0.9);
    one(std::min<std::int64_t>(256, block * 2), 2, 1, 0.92);
    one(std::max<std::int64_t>(64, block / 4), 4, 2, 0.9);
}

int recognise(const ProgramShape& program)
{
    return program.kernel && program.blockWaits ? 40 : 0;
}

} // namespace

KernelFamily blockPerRow()
{
    return {.family = {"M19",
                       "Block per row",
                       "A block shares a row and adds up by shuffles and in shared memory; good for few rows "
                       "of hundreds of entries.",
                       {{"block", "threads per block and row", {128, 64, 256}},
                        {"across", "lanes side by side on columns", {2, 4, 8}},
                        {"vec", "columns per load", {4, 1, 2}},
                        {"merge", "loads per lane and entry", {1, 2}},
                        unrollParameter(),
                        batchesParameter()},
                       {}},
            .write = writeBlocks,
            .recognise = recognise,
            .rules = SpmmRules{.propose = propose, .firstTries = 5, .place = 10}};
}

} // namespace sparserl::spmm
