// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmv_estimate.h"

#include "corpus/spmv_weights.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

namespace {

// One H200: figures from public specifications and micro-benchmarks, rounded.
constexpr double sms = 132;
constexpr double threadsPerSm = 2048;
constexpr double dramBytesPerUs = 4.4e6;
constexpr double l2BytesPerUs = 7.5e6;
constexpr double l2Bytes = 45e6;   ///< What stays resident of 60 MB.
constexpr double l1Columns = 40e3; ///< Elements of x that L1 keeps beside the matrix.
constexpr double smBytesPerUs = 0.1e6;
constexpr double lanesPerUs = 132.0 * 128.0 * 1700; ///< Thread instructions.
constexpr double shuffleUs = 0.014;
constexpr double never = 1e12;

double at(const FamilyParameters& p, const char* name)
{
    const auto found = p.find(name);
    return found == p.end() ? 1 : static_cast<double>(found->second);
}

} // namespace

SpmvEstimate::SpmvEstimate(const MatrixFeatures& features)
    : m_f(features)
    , m_rows(static_cast<double>(features.rows))
    , m_cols(static_cast<double>(features.cols))
    , m_nnz(static_cast<double>(features.nnz))
    , m_mean(std::max(features.rowMean, 0.01))
    , m_max(static_cast<double>(features.rowMax))
{
    const double bytes = 8 * m_nnz + 8 * m_rows + 4 * m_cols;
    m_latency = bytes < l2Bytes ? 0.16 : 0.4;
    // Neighbouring columns share sectors, neighbouring rows share lines; a short x stays in L1 whole.
    m_apart = std::clamp(m_f.columnGap / 8, 0.125, 1.0);
    const double resident = std::min(1.0, l1Columns / std::max(m_cols, 1.0));
    m_gather = m_apart / std::clamp(m_f.windowReuse, 1.0, 4.0) * (1 - resident);
}

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

std::vector<double> SpmvEstimate::terms(std::string_view family, const FamilyParameters& complete) const
{
    const auto work = workOf(family, complete);
    if (!work)
        return {};
    const Work& w = *work;
    const double blocks = std::max(1.0, w.threads / w.block);
    const double used = std::min(sms, blocks);
    // Registers, roughly: whole blocks share the 65,536 of an SM.
    const double registers = 24 + 0.35 * w.inFlight;
    const double perSm = std::max(1.0, std::floor(std::min(65536 / registers, threadsPerSm) / w.block));
    const double waves = std::max(1.0, w.threads / (sms * perSm * w.block * 0.9));
    const double working = w.bytes + 4 * m_cols + 4 * m_rows;
    const double share = working <= l2Bytes ? 0 : std::min(1.0, (working - l2Bytes) / l2Bytes);
    // Many threads need enough loads in flight to fill the memory's pipes.
    const double starved = std::max(0.0, 1 - w.inFlight / 24);
    return {1,
            w.launches - 1,
            w.zeroed,
            m_latency * w.chain,
            m_latency * (waves - 1) * w.typical,
            w.bytes * (1 - share) / l2BytesPerUs,
            w.bytes * share / dramBytesPerUs,
            w.bytes * starved / l2BytesPerUs,
            32 * m_nnz * w.gather * (m_gather + 0.2 * m_apart * w.reads) / l2BytesPerUs,
            w.instructions / (lanesPerUs * used / sms),
            blocks * 0.001,
            w.bytes / (used * smBytesPerUs),
            w.extra,
            at(complete, "stream") == 1 && complete.count("stream") != 0 ? m_latency * w.chain : 0,
            at(complete, "stream") == 1 && complete.count("stream") != 0
                ? w.bytes * (1 - share) / (used * smBytesPerUs)
                : 0};
}

double SpmvEstimate::microseconds(std::string_view family, const FamilyParameters& complete) const
{
    const auto values = terms(family, complete);
    if (values.empty())
        return never;
    double time = 0;
    const std::string_view key = family == "S15" && at(complete, "mode") == 2 ? "S15/2" : family;
    const auto& weights = spmvWeights(key);
    for (std::size_t i = 0; i < values.size(); ++i)
        time += weights[i] * values[i];
    return time * spmvFactor(key, complete);
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

std::string SpmvEstimate::reason(std::string_view family) const
{
    if (family == "S10" || family == "S11" || family == "S12")
        return fmt::format("longest row {} entries, {:.2f} times the mean; coefficient of variation {:.2f}",
                           m_f.rowMax, m_f.ellRatio, m_f.rowCv);
    if (family == "S13")
        return fmt::format("{} diagonals, {:.0f} % filled", m_f.diagonals, 100 * m_f.diagonalFill);
    if (family == "S14")
        return fmt::format("blocks of 2, 4 and 8 are filled by {:.0f}, {:.0f} and {:.0f} %",
                           100 * m_f.blockFill[0], 100 * m_f.blockFill[1], 100 * m_f.blockFill[2]);
    if (family == "S18" || family == "S17")
        return fmt::format("{} columns, {:.1f} entries each", m_f.cols, m_nnz / std::max(1.0, m_cols));
    if (family == "dense")
        return fmt::format("{:.0f} % of the entries are there", 100 * m_f.density);
    if (family == "S4")
        return fmt::format("{} rows of mean length {:.0f}", m_f.rows, m_f.rowMean);
    if (family == "S1" || family == "S2" || family == "S3")
        return fmt::format("mean row length {:.1f}, coefficient of variation {:.2f}", m_f.rowMean, m_f.rowCv);
    return fmt::format("{} entries, longest row {} against a mean of {:.1f}", m_f.nnz, m_f.rowMax,
                       m_f.rowMean);
}

} // namespace sparserl
