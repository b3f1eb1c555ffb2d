// SPDX-License-Identifier: Apache-2.0
// What programs of each family load, issue and wait for, from the features of a matrix.
#include "corpus/spmv_estimate.h"
#include "corpus/spmv_machine.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

using namespace spmv;

double SpmvEstimate::csrBytes(bool narrow) const
{
    return narrow ? 6 * m_nnz + 8 * m_rows : 8 * m_nnz + 4 * m_rows;
}

double SpmvEstimate::rounds(double length, double lanes, const FamilyParameters& p) const
{
    if (at(p, "vector") == 4)
        return std::ceil((length + 1.5) / (lanes * 4));
    const double batch = at(p, "batch");
    const double steps = std::ceil(length / lanes);
    if (batch > 1)
        return std::ceil(steps / batch);
    if (at(p, "slice") > 1 && p.count("slice") != 0)
        return steps; // Compilers leave that loop as it is.
    // Compilers unroll by four and leave up to three single steps.
    return std::floor(steps / 4) + std::min(steps, std::fmod(steps, 4.0));
}

/// Loads of x that rows of this mean length make: batches that are not predicated fill up their last round.
double SpmvEstimate::gathers(double rows, double mean, double lanes, const FamilyParameters& p) const
{
    const double batch = at(p, "vector") == 4 ? 4 : at(p, "batch");
    if (batch == 1 || (at(p, "predicate") == 1 && p.count("predicate") != 0 && at(p, "vector") != 4))
        return rows * mean;
    const double round = lanes * batch;
    const double all = mean > round ? mean + 0.5 * round : std::min(round, mean * batch + lanes);
    return rows *
           (mean + 0.6 * std::max(0.0, all - mean)); // What is read again costs less than a first read.
}

SpmvEstimate::Work SpmvEstimate::rows(const FamilyParameters& p, double lanes) const
{
    Work w;
    const bool narrow = at(p, "index16") == 1 && p.count("index16") != 0;
    const double batch = at(p, "vector") == 4 ? 4 : at(p, "batch");
    w.bytes = csrBytes(narrow);
    w.block = at(p, "block");
    w.threads = m_rows * lanes;
    const double reduce = std::log2(std::max(lanes, 1.0)) * shuffleUs / m_latency;
    const double ends = 1 + reduce + (lanes > 32 ? 0.6 : 0);
    w.chain = ends + 2 * rounds(m_max, lanes, p);
    w.typical = ends + 2 * rounds(std::max(m_mean, static_cast<double>(m_f.rowQ80)), lanes, p);
    const double steps = std::ceil(m_mean / (lanes * batch)) * batch;
    w.instructions =
        m_rows * lanes *
        (22 + 3 * std::log2(lanes + 1) + steps * (batch > 1 ? 9 : 11) * (at(p, "vector") == 4 ? 0.6 : 1));
    w.inFlight = (batch > 1 ? batch : 2) * (narrow ? 6 : 8);
    w.reads = gathers(m_rows, m_mean, lanes, p) / std::max(m_nnz, 1.0);
    // Threads of neighbouring rows read words that lie a row apart.
    if (lanes < 8)
        w.extra = m_nnz * (m_mean > 2 * lanes ? 2.0 : 1.0) / (lanes * 1.1e6) * std::min(1.0, m_mean / 8);
    return w;
}

SpmvEstimate::Work SpmvEstimate::padded(const FamilyParameters& p) const
{
    Work w;
    const double slice = at(p, "slice");
    const double sigma = at(p, "sigma");
    const double lanes = at(p, "lanes");
    const double vector = at(p, "vector");
    const double batch = at(p, "batch");
    const bool narrow = at(p, "index16") == 1 && p.count("index16") != 0;
    // Longest of a slice over the mean, before and after sorting.
    const double spread = m_f.rowCv * std::sqrt(2 * std::log(std::max(slice, 2.0)));
    const double sorted = sigma <= slice ? 1 : slice / sigma;
    double pad = 1 + std::min(spread, m_max / m_mean) * std::min(1.0, sorted * 1.5 + 0.02);
    const double windows = std::max(1.0, m_rows / std::max(sigma, slice));
    pad = std::max(pad, 1 + std::min(windows, m_rows / slice) * 0.3 * slice * m_max / std::max(m_nnz, 1.0) *
                                (m_f.rowCv > 1 ? 1 : 0) / std::max(1.0, windows / 4));
    w.bytes = m_nnz * pad * (narrow ? 6 : 8) + m_rows * (narrow ? 12 : 8);
    w.block = at(p, "block");
    w.threads = m_rows * lanes / vector;
    const double ends = 1 + (lanes > 1 ? std::log2(lanes) * vector * shuffleUs / m_latency : 0) + 0.9;
    FamilyParameters loop = p;
    loop["vector"] = 1;
    w.chain = ends + 2 * rounds(m_max, lanes, loop);
    w.typical = ends + 2 * rounds(m_mean * pad, lanes, loop);
    w.instructions = w.threads * (30 + 4 * vector) + m_nnz * pad * (vector > 1 ? 6 : 9);
    w.inFlight = (batch > 1 ? batch : 2) * vector * (narrow ? 6 : 8);
    w.reads = gathers(m_rows, m_mean * pad, lanes, loop) / std::max(m_nnz, 1.0);
    w.extra = sorted < 1 && sigma > 1024 ? 0.1 * m_nnz * m_gather / 1e6 : 0; // Sorting spoils locality.
    return w;
}

SpmvEstimate::Work SpmvEstimate::binned(const FamilyParameters& p) const
{
    Work w;
    const double small = at(p, "short");
    const double large = at(p, "long");
    const double block = at(p, "block");
    const double lanes = at(p, "lanes");
    const bool narrow = at(p, "index16") == 1 && p.count("index16") != 0;
    w.bytes = csrBytes(narrow) + 4 * m_rows;
    w.block = block;
    // Shares of rows from the quantiles that are known.
    const auto below = [&](double length) {
        if (length > m_max)
            return 1.0;
        if (length > static_cast<double>(m_f.rowQ99))
            return 0.995;
        if (length > static_cast<double>(m_f.rowQ80))
            return 0.9;
        return length > static_cast<double>(m_f.rowQ50) ? 0.65 : 0.3;
    };
    const double shortRows = m_rows * below(small);
    const double longRows = std::min(m_rows * (1 - below(large)), m_nnz / large);
    const double midRows = std::max(0.0, m_rows - shortRows - longRows);
    w.threads = shortRows * lanes + midRows * 32 + longRows * block * at(p, "split");
    const double split = at(p, "split");
    if (split > 1 && longRows > 0)
        w.launches = 2;
    const double reach = m_max >= large   ? rounds(m_max, block * split, p) + 0.5
                         : m_max >= small ? rounds(m_max, 32, p)
                                          : 0;
    const double ends = 1 + 5 * shuffleUs / m_latency;
    const double middle = std::max(rounds(std::min(m_max, small - 1), lanes, p),
                                   m_max >= small ? rounds(std::min(m_max, large - 1), 32, p) : 0);
    w.chain = ends + 2 * std::max(reach, middle);
    w.typical = ends + 2 * rounds(std::min(static_cast<double>(m_f.rowQ80), small), lanes, p);
    w.instructions = w.threads * 45 + m_nnz * 10;
    w.inFlight = std::max(2.0, at(p, "batch")) * (narrow ? 6 : 8);
    // The rest of the entries after bins at the mean length of their rows.
    const double shortMean =
        std::min({small, m_mean, 0.5 * static_cast<double>(m_f.rowQ50 + m_f.rowQ80) + 0.5});
    const double others = std::max(0.0, m_nnz - shortRows * shortMean);
    const double longEntries = longRows > 0 ? others * 0.5 : 0;
    w.reads = (gathers(shortRows, shortMean, lanes, p) +
               (midRows > 0 ? gathers(midRows, (others - longEntries) / midRows, 32, p) : 0) +
               (longRows > 0 ? gathers(longRows, longEntries / longRows, block, p) : 0)) /
              std::max(m_nnz, 1.0);
    w.extra = 0.1;
    if (at(p, "mode") == 1)
        w.launches += (midRows > 0 ? 1 : 0) + (longRows > 0 ? 1 : 0);
    return w;
}

SpmvEstimate::Work SpmvEstimate::tickets(const FamilyParameters& p) const
{
    Work w = rows(p, at(p, "lanes"));
    w.zeroed = 1;
    w.threads = std::min(w.threads, sms * 8 * w.block);
    w.extra += 0.5 + m_rows / 32 * 0.0008;
    w.instructions *= 1.2;
    return w;
}

std::optional<SpmvEstimate::Work> SpmvEstimate::workOf(std::string_view family,
                                                       const FamilyParameters& p) const
{
    const double items = at(p, "items");
    const bool narrow = p.count("index16") != 0 && at(p, "index16") == 1;
    // A span of 16 bits is certain where the matrix is that narrow, or its band.
    if (narrow && m_f.cols > 65536 && m_f.bandwidthMax > 32767)
        return std::nullopt;
    const double stored = 8 * (8 * m_nnz + 4 * m_rows) + 64.0 * 1024 * 1024;
    Work w;
    if (family == "S1") {
        w = rows(p, 1);
    } else if (family == "S2" || family == "S3") {
        w = rows(p, at(p, "lanes"));
    } else if (family == "S4") {
        const double split = std::min(at(p, "split"), 1024 / at(p, "block"));
        w = rows(p, at(p, "block") * split);
        w.launches = split > 1 ? 2 : 1;
        if (at(p, "tree") == 1)
            w.extra += 0.15;
    } else if (family == "S5") {
        const double perBlock = at(p, "nnz");
        w.bytes = csrBytes(false);
        w.block = at(p, "block");
        const double blocks = std::max(1.0, m_nnz / perBlock * 1.05);
        w.threads = blocks * w.block;
        const double longest = std::min(m_max, perBlock);
        const double rowsEach = m_rows / blocks / (w.block / at(p, "lanes"));
        w.typical = 5 + 2 * std::ceil(perBlock / w.block / 8);
        w.chain = w.typical + std::max(1.0, rowsEach) * (1.3 + longest / at(p, "lanes") * 0.1) +
                  (m_max > perBlock ? 2 * std::ceil(m_max / w.block / 4) : 0);
        w.instructions = m_nnz * 16 + m_rows * (20 + 6 * at(p, "lanes"));
        w.inFlight = 8 * std::min(8.0, perBlock / w.block);
        w.extra = 0.1;
    } else if (family == "S6") {
        const double tile = at(p, "block") * items;
        w.bytes = csrBytes(false);
        w.block = at(p, "block");
        w.threads = (m_nnz + m_rows) / items;
        w.chain = w.typical = 5 + 0.4 * std::log2(tile) + items * 0.5;
        w.instructions = (m_nnz + m_rows) * 28 + w.threads * 60;
        w.inFlight = 8 * items;
        w.launches = at(p, "atomics") == 1 ? 1 : 2;
        w.zeroed = at(p, "atomics");
        w.extra = 0.2;
    } else if (family == "S7" || family == "S8" || family == "S9") {
        if (family == "S9")
            w.bytes = m_nnz * 8 + m_nnz / at(p, "sigma") * 8;
        else
            w.bytes = family == "S8" ? 12 * m_nnz : csrBytes(false) + m_nnz / items * 4;
        const double each = family == "S9" ? at(p, "sigma") : items;
        w.block = at(p, "block");
        w.threads = m_nnz / each;
        w.chain = w.typical = 4 + each * (family == "S8" ? 0.15 : 0.1) + 10 * shuffleUs / m_latency;
        if (family == "S7" && at(p, "search") == 1)
            w.chain = w.typical = w.typical + std::log2(m_rows + 1);
        const double scan = family == "S8" && at(p, "reduce") == 1 ? 40 : 0;
        w.instructions = m_nnz * (14 + scan) + w.threads * 60;
        w.inFlight = 8 * each;
        w.zeroed = 1 - at(p, "clear");
        w.launches = 1 + at(p, "clear");
        // Atomics: one per thread and one per row at least; per entry without compression.
        const double atomics = family == "S8" && at(p, "reduce") == 0 ? m_nnz : w.threads / 4 + m_rows;
        w.extra = atomics * 0.0004 + (family == "S7" && at(p, "combine") == 0 ? w.threads * 0.0004 : 0);
    } else if (family == "S10") {
        w.bytes = 8 * m_rows * m_max;
        if (w.bytes > stored)
            return std::nullopt;
        w.block = at(p, "block");
        const double lanes = at(p, "lanes");
        w.threads = m_rows * lanes;
        w.chain = w.typical =
            (lanes > 1 ? std::log2(lanes) * shuffleUs / m_latency : 0) + 2 * rounds(m_max, lanes, p);
        w.instructions = w.threads * 18 + m_rows * m_max * 9;
        w.inFlight = 8 * std::max(2.0, at(p, "batch"));
        w.reads = gathers(m_rows, m_max, lanes, p) / std::max(m_nnz, 1.0);
    } else if (family == "S11") {
        w = padded(p);
        if (w.bytes > stored)
            return std::nullopt;
    } else if (family == "S12") {
        const double width = at(p, "quantile") >= 99   ? static_cast<double>(m_f.rowQ99)
                             : at(p, "quantile") >= 80 ? static_cast<double>(m_f.rowQ80)
                                                       : static_cast<double>(m_f.rowQ50);
        const double rest = std::max(0.0, m_nnz - m_rows * std::min(width, m_mean) * 0.9);
        w.bytes = 8 * m_rows * width + 12 * rest;
        if (w.bytes > stored)
            return std::nullopt;
        w.block = at(p, "block");
        w.threads = m_rows + rest / items;
        w.chain = w.typical = 2 * rounds(width, 1, p) + 1 + items;
        w.instructions = m_rows * (20 + width * 9) + rest * 20;
        w.inFlight = 8 * at(p, "batch");
        w.launches = at(p, "fused") == 1 ? 1 : 2;
        w.zeroed = at(p, "fused");
        w.extra = rest / items * 0.0006 + (at(p, "fused") == 1 ? m_rows * 0.0003 : 0);
    } else if (family == "S13") {
        const auto diagonals = static_cast<double>(m_f.diagonals);
        w.bytes = 4 * diagonals * m_rows;
        if (m_f.diagonals < 1 || m_f.diagonals > 512 || w.bytes > stored)
            return std::nullopt;
        w.block = at(p, "block");
        const double many = at(p, "rows");
        w.threads = m_rows / many;
        const double together = at(p, "unroll");
        w.chain = w.typical =
            1.5 * (at(p, "clamp") == 1 ? std::ceil(diagonals / together)
                                       : std::floor(diagonals / together) + std::fmod(diagonals, together));
        w.instructions = m_rows * (12 + diagonals * (at(p, "clamp") == 1 ? 8 : 9));
        w.inFlight = 4 * std::min(at(p, "unroll"), diagonals) * many;
        w.gather = 0.5;
    } else if (family == "S14") {
        const double b = at(p, "b");
        const auto& fill = m_f.blockFill; // 2, 4, 8, 16
        const bool divides = m_f.rows % static_cast<std::int64_t>(b) == 0;
        // Blocks of other sizes leave their mark on those of two: perfect ones of 3, 5, 7 fill 0.7, 0.83,
        // 0.88 of them, those of 6 all.
        const double three = std::clamp((fill[0] - 0.35) / 0.35, 0.0, 1.0);
        const double full = b == 2     ? fill[0]
                            : b == 4   ? fill[1]
                            : b == 8   ? fill[2]
                            : b == 16  ? fill[3]
                            : !divides ? 0.0
                            : b == 3   ? three
                            : b == 6   ? 0.7 * three
                                       : std::clamp((fill[0] - 0.05 * b - 0.25) / 0.33, 0.0, 1.0);
        if (full < 0.15)
            return std::nullopt;
        const double groups = std::min(at(p, "groups"), std::exp2(std::floor(std::log2(32 / b))));
        const double lanes = b * groups;
        const double entries = m_nnz / full;
        w.bytes = 4 * entries + 4 * entries / (b * b);
        w.block = at(p, "block");
        w.threads = m_rows * groups * 32 / (std::floor(32 / lanes) * lanes);
        const double blocksMean = m_mean / full / b;
        const double round = groups * at(p, "batch");
        w.typical = 2 + 2 * std::ceil(blocksMean / round);
        w.chain = 2 + 2 * std::ceil(m_max / full / b / round);
        w.instructions = w.threads * 40 + entries * (at(p, "vector") == 1 ? 4 : 7);
        w.inFlight = 4 * b * at(p, "batch");
        w.gather = std::min(1.0, 1 / (full * b * b)); // One sector a block.
    } else if (family == "S15") {
        w = at(p, "mode") == 2 ? tickets(p) : binned(p);
    } else if (family == "S17") {
        w.bytes = 8 * m_nnz + 4 * m_cols;
        w.block = at(p, "block");
        w.threads = m_cols * at(p, "lanes");
        w.chain = w.typical = 3 + std::ceil(m_nnz / std::max(1.0, m_cols) / at(p, "lanes"));
        w.instructions = w.threads * 25 + m_nnz * 9;
        w.zeroed = 1 - at(p, "clear");
        w.launches = 1 + at(p, "clear");
        w.extra = m_nnz * 0.0005;
    } else if (family == "S18") {
        const double panels = std::ceil(m_cols / at(p, "width"));
        const double lanes = at(p, "lanes");
        const double many = at(p, "rows");
        w.bytes = 8 * m_nnz + 4 * m_rows * panels;
        if (w.bytes > stored)
            return std::nullopt;
        w.block = at(p, "block");
        w.threads = m_rows * lanes / many;
        const double blocks = std::max(1.0, w.threads / w.block);
        const double batch = at(p, "batch");
        w.chain = w.typical = panels * (3.5 + many * (1 + std::ceil(m_mean / panels / lanes / batch))) + 1;
        w.chain += std::ceil(m_max / lanes / batch);
        w.instructions = w.threads * panels * 60 + m_nnz * 9;
        w.extra = blocks * 4 * m_cols / l2BytesPerUs;
        w.gather = 0;
    } else if (family == "dense") {
        w.bytes = 4 * m_rows * m_cols;
        if (w.bytes > stored)
            return std::nullopt;
        const double lanes = at(p, "lanes") == 0 ? at(p, "block") : at(p, "lanes");
        const double wide = at(p, "vector") == 4 && m_f.cols % 4 == 0 ? 4 : 1;
        w.block = at(p, "block");
        w.threads = m_rows * lanes;
        w.chain = w.typical =
            std::ceil(m_cols / lanes / wide / at(p, "batch")) + 1 + std::log2(lanes) * shuffleUs / m_latency;
        w.instructions = m_rows * m_cols * (wide > 1 ? 2 : 5) + w.threads * 40;
        w.inFlight = 4 * wide * at(p, "batch");
        w.gather = 0;
    } else {
        return std::nullopt;
    }
    return w;
}

} // namespace sparserl
