// SPDX-License-Identifier: Apache-2.0
#include "corpus/recommend_spmm.h"

#include "matrix/features.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace sparserl {

namespace {

/// Threads that a large GPU holds at once: 132 multiprocessors of 2048.
constexpr double deviceThreads = 132.0 * 2048.0;
/// A level-2 cache's bytes that B can hope for.
constexpr double cacheBytes = 30.0 * 1024 * 1024;

double falling(double value, double best, double worst)
{
    return std::clamp((worst - value) / (worst - best), 0.0, 1.0);
}

double rising(double value, double worst, double best)
{
    return 1 - falling(value, worst, best);
}

std::int64_t powerAbove(double value, std::int64_t least, std::int64_t most)
{
    std::int64_t result = least;
    while (result < most && static_cast<double>(result) < value)
        result *= 2;
    return result;
}

/// The portfolio of one matrix: candidates of all families that may be fast, each once.
class Portfolio
{
public:
    Portfolio(const MatrixFeatures& features, std::int64_t columns)
        : m_f(features)
        , m_columns(std::max<std::int64_t>(1, columns))
    {
        m_vec = m_columns % 4 == 0 ? 4 : m_columns % 2 == 0 ? 2 : 1;
        m_whole = powerAbove(static_cast<double>(m_columns) / static_cast<double>(m_vec), 1, 8);
        m_across = m_whole;
        m_mean = std::max(features.rowMean, 0.01);
        // A row that most rows do not exceed: what an idle device waits for.
        m_typical = std::max(m_mean, static_cast<double>(std::min<std::int64_t>(features.rowQ80, 4096)));
        m_lengths = fmt::format("{} columns, mean row length {:.1f}, coefficient of variation {:.2f}",
                                m_columns, features.rowMean, features.rowCv);
    }

    std::vector<Candidate> all()
    {
        const auto shapes = [this] {
            groups();
            padded();
            unequal();
            buckets();
            wholeBlocks();
        };
        shapes();
        staged();
        blocked();
        large();
        plain();
        // Slices of B's columns in blocks of their own: on an idle device they leave more lanes for the rows,
        // on a busy one more rows of a slice fit into the caches.
        for (std::int64_t slice : {std::int64_t(2), std::int64_t(4)}) {
            if (slice >= m_whole)
                continue;
            m_across = slice;
            m_brief = true;
            if (idle() >= 0.2) {
                m_weight = (slice == 2 ? 0.99 : 0.93) * (0.6 + 0.4 * idle());
                shapes();
            } else {
                m_weight = slice == 2 ? 0.88 : 0.86;
                groups();
                unequal();
            }
        }
        std::stable_sort(m_all.begin(), m_all.end(),
                         [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
        return diverse();
    }

private:
    /// The best of each family come first, so that a few of the list already try different things.
    std::vector<Candidate> diverse()
    {
        static const std::map<std::string, int> limits = {{"M4", 12}, {"M11", 12}, {"M20", 5}, {"M19", 5},
                                                          {"M15", 4}, {"M8", 5},   {"M16", 3}, {"M18", 3},
                                                          {"M14", 2}, {"M17", 2}};
        std::map<std::string, int> taken;
        std::vector<Candidate> first, rest;
        for (Candidate& candidate : m_all) {
            const auto limit = limits.find(candidate.family);
            const bool more = taken[candidate.family]++ < (limit == limits.end() ? 1 : limit->second);
            (more ? first : rest).push_back(std::move(candidate));
        }
        constexpr std::size_t most = 40;
        for (Candidate& candidate : rest)
            first.push_back(std::move(candidate));
        if (first.size() > most)
            first.resize(most);
        return first;
    }

    void add(const char* family, FamilyParameters parameters, double score, const std::string& reason)
    {
        const bool known = std::any_of(m_all.begin(), m_all.end(), [&](const Candidate& c) {
            return c.family == family && c.parameters == parameters;
        });
        if (!known)
            m_all.push_back({family, std::move(parameters), std::clamp(score * m_weight, 0.01, 1.0), reason});
    }

    /// Lanes per row so that a lane has about `each` entries of a row, fewer where the device is full anyway.
    std::int64_t lanesFor(double each) const
    {
        const double threads = static_cast<double>(m_f.rows) * static_cast<double>(m_whole);
        const double full = rising(threads / deviceThreads, 0.5, 8);
        const double length = (1 - full) * m_typical + full * m_mean;
        const double wanted = length / (each * (1 + full));
        return std::clamp<std::int64_t>(m_across * powerAbove(wanted, 1, 32),
                                        std::max<std::int64_t>(2, m_across), 32);
    }

    double perLane(std::int64_t lanes) const
    {
        return m_typical * static_cast<double>(m_across) / static_cast<double>(lanes);
    }

    /// 1 where the rows leave most of the device idle, 0 where they fill it.
    double idle() const
    {
        return falling(static_cast<double>(m_f.rows) * static_cast<double>(m_whole), 0.1 * deviceThreads,
                       0.6 * deviceThreads);
    }

    /// How evenly rows of equal treatment keep the device busy.
    double evenness() const
    {
        const double waves = static_cast<double>(m_f.rowMax) / std::max(1.0, m_typical);
        return 0.35 + 0.65 * falling(waves, 3, 60);
    }

    /// M4 and M16: groups of lanes per row, the work horse.
    void groups()
    {
        const double even = evenness();
        const std::int64_t lanes = lanesFor(4);
        const bool narrow = m_f.cols <= 65536 || 2 * m_f.bandwidthMax < 65536;
        const auto one = [&](std::int64_t use, std::int64_t unroll, std::int64_t batch, std::int64_t block,
                             double score) {
            use = std::clamp<std::int64_t>(use, std::max<std::int64_t>(2, m_across), 32);
            if (m_vec == 1) {
                add("M7",
                    {{"block", block},
                     {"across", m_across},
                     {"merge", m_columns > 8 ? 2 : 1},
                     {"lanes", std::clamp<std::int64_t>(use, 8, 32)},
                     {"unroll", unroll},
                     {"batch", batch}},
                    score * even, m_lengths);
                return;
            }
            const FamilyParameters parameters = {{"block", block}, {"across", m_across}, {"vec", m_vec},
                                                 {"lanes", use},   {"unroll", unroll},   {"batch", batch}};
            add("M4", parameters, score * even, m_lengths);
        };
        const std::int64_t step = perLane(lanes) <= 1.5 ? 1 : perLane(lanes) <= 3 ? 2 : 4;
        one(lanes, step, 1, 128, 0.95);
        // An idle device waits for its longest rows: as many lanes for them as a warp has.
        const double waiting = idle();
        if (waiting > 0 && m_f.rowQ99 > 2) {
            const double longest = static_cast<double>(m_f.rowQ99);
            const auto most = std::clamp<std::int64_t>(m_across * powerAbove(longest / 2, 1, 32),
                                                       std::max<std::int64_t>(2, m_across), 32);
            const double each = longest * static_cast<double>(m_across) / static_cast<double>(most);
            const std::int64_t long1 = each <= 1.5 ? 1 : each <= 3 ? 2 : each <= 6 ? 4 : 8;
            one(most, long1, 1, 128, 0.97 * waiting);
            one(most, long1, 1, 256, 0.86 * waiting);
            one(most, long1, 1, 64, 0.85 * waiting);
            one(most / 2, std::min<std::int64_t>(8, 2 * long1), 1, 128, 0.9 * waiting);
            if (m_vec > 1 && !m_brief)
                add("M7",
                    {{"block", 128},
                     {"across", std::min<std::int64_t>(8, m_across * 2)},
                     {"merge", 2},
                     {"lanes", 32},
                     {"unroll", each > 4 ? 4 : 2},
                     {"batch", 1}},
                    0.8 * waiting, m_lengths);
        }
        if (m_brief)
            return;
        if (m_vec > 1 && lanes > m_across)
            add("M4",
                {{"block", 128},
                 {"across", m_across},
                 {"vec", m_vec},
                 {"lanes", lanes},
                 {"unroll", step},
                 {"batch", 1},
                 {"spread", 1}},
                0.87 * even, m_lengths);
        one(lanes, 4, 0, 128, 0.87);
        one(2 * lanes, std::max<std::int64_t>(1, step / 2), 1, 128, 0.88);
        one(lanes / 2, std::min<std::int64_t>(8, step * 2), 1, 128, 0.83);
        one(lanes, step, 1, 256, 0.85);
        one(lanes, step, 1, 512, m_across >= 8 ? 0.9 : 0.84);
        one(lanes, step, 1, 64, 0.75);
        one(lanes / 2, 4, 0, 256, 0.8);
        one(m_across, 4, 0, 256, 0.78 * (1 - idle()));
        if (perLane(lanes) > 6) {
            one(lanes, 4, 2, 128, 0.9);
            one(lanes, 8, 2, 128, 0.89);
        }
        one(lanes, 8, 1, 128, 0.74);
        if (narrow && m_vec > 1) {
            const std::string reason = fmt::format("columns fit into 16 bits; {}", m_lengths);
            const auto shortOnes = [&](std::int64_t use, std::int64_t unroll, std::int64_t batch,
                                       double score) {
                add("M16",
                    {{"block", 128},
                     {"across", m_across},
                     {"vec", m_vec},
                     {"lanes", std::clamp<std::int64_t>(use, std::max<std::int64_t>(2, m_across), 32)},
                     {"unroll", unroll},
                     {"batch", batch},
                     {"slice", 0},
                     {"sigma", 256}},
                    score * even, reason);
            };
            shortOnes(lanes, step, 1, 0.82);
            shortOnes(lanes, 4, perLane(lanes) > 6 ? 2 : 0, 0.76);
        }
    }

    void staged()
    {
        const double longEnough = rising(m_mean, 4, 24) * evenness();
        const double wide = m_columns >= 16 ? 1 : 0.6;
        const std::int64_t unroll = m_mean >= 16 ? 8 : 4;
        add("M5",
            {{"block", 128},
             {"across", std::max<std::int64_t>(2, m_across)},
             {"vec", m_vec},
             {"stage", m_mean >= 64 ? 8 : 4},
             {"unroll", unroll}},
            0.75 * longEnough * wide, m_lengths);
        add("M5",
            {{"block", 64},
             {"across", std::max<std::int64_t>(2, m_across)},
             {"vec", m_vec},
             {"stage", 2},
             {"unroll", 4}},
            0.6 * longEnough * wide, m_lengths);
        const std::int64_t across = m_columns >= 32 ? 32 : m_columns >= 16 ? 16 : 8;
        add("M2", {{"block", 128}, {"across", across}, {"stage", m_mean >= 64 ? 2 : 1}, {"unroll", unroll}},
            0.6 * longEnough * wide, m_lengths);
        add("M3",
            {{"block", 128},
             {"across", std::max<std::int64_t>(4, across / 2)},
             {"merge", 2},
             {"unroll", unroll}},
            (m_columns >= 32 ? 0.62 : 0.4) * longEnough, m_lengths);
    }

    double byteLimit() const
    {
        const double csr = 4.0 * (static_cast<double>(m_f.rows) + 1) + 8.0 * static_cast<double>(m_f.nnz);
        return 8 * csr + 64.0 * 1024 * 1024;
    }

    /// M14 and M15.
    void padded()
    {
        if (m_vec == 1)
            return;
        const std::int64_t lanes = std::min<std::int64_t>(lanesFor(4), 16);
        const std::int64_t step = perLane(lanes) <= 2 ? 2 : 4;
        const std::string reason =
            fmt::format("longest row over mean {:.2f}, {} columns", m_f.ellRatio, m_columns);
        const double ell = 8.0 * static_cast<double>(m_f.rows) * static_cast<double>(m_f.rowMax);
        // Without row pointers there is one thing less to wait for: that counts where the device is idle.
        const double room = ell <= 4e6 ? idle() : 0;
        if (ell <= byteLimit() && m_f.rowMax > 0 && (m_f.ellRatio <= 4 || room > 0)) {
            const double score = std::max(0.96 * falling(m_f.ellRatio, 1.2, 4) * falling(m_mean, 32, 200),
                                          0.99 * room * falling(m_f.ellRatio, 2, 16) *
                                              falling(static_cast<double>(m_f.rowMax), 32, 160));
            const auto one = [&](std::int64_t use, std::int64_t unroll, std::int64_t batch,
                                 std::int64_t block, double factor) {
                add("M15",
                    {{"block", block},
                     {"across", m_across},
                     {"vec", m_vec},
                     {"lanes", std::clamp<std::int64_t>(use, std::max<std::int64_t>(2, m_across), 32)},
                     {"unroll", unroll},
                     {"batch", batch}},
                    score * factor, reason);
            };
            const auto longest = static_cast<double>(m_f.rowMax);
            one(m_across * powerAbove(longest / 4, 1, 32), 4, 1, 128, idle() > 0.3 ? 1 : 0.85);
            one(lanes, 4, 1, 128, 0.97);
            if (!m_brief)
                one(m_across, 4, 0, 128, 0.95);
            one(m_across * powerAbove(longest / 2, 1, 32), 2, 1, 128, idle() > 0.3 ? 0.95 : 0.7);
            if (!m_brief)
                one(m_across * powerAbove(longest / 4, 1, 32), 4, 1, 256, idle() > 0.3 ? 0.9 : 0.7);
            if (longest > 64)
                one(32, 8, 1, 128, 0.93);
        }
        if (m_brief)
            return;
        const double tail = falling(static_cast<double>(m_f.rowMax), 64, 2048);
        const double uneven = 0.8 * (0.3 + 0.7 * tail) * falling(m_mean, 24, 200);
        const std::int64_t sigma = m_f.rowCv > 0.5 ? 1024 : m_f.rowCv > 0.1 ? 256 : 64;
        for (std::int64_t slice : {std::int64_t(8), std::int64_t(16)})
            add("M14",
                {{"block", 128},
                 {"across", m_across},
                 {"vec", m_vec},
                 {"lanes", lanes},
                 {"unroll", slice == 8 ? 4 : step},
                 {"batch", slice == 8 ? 0 : 1},
                 {"slice", slice},
                 {"sigma", sigma}},
                uneven * (slice == 8 ? 1 : 0.95), reason);
        if (m_f.cols <= 65536)
            add("M16",
                {{"block", 128},
                 {"across", m_across},
                 {"vec", m_vec},
                 {"lanes", lanes},
                 {"unroll", step},
                 {"batch", 1},
                 {"slice", 16},
                 {"sigma", sigma > 256 ? 1024 : 256}},
                0.8 * uneven, reason);
    }

    /// M8, M17 and M18: formats with zeros.
    void blocked()
    {
        const struct
        {
            std::int64_t size;
            double fill;
        } sizes[] = {{2, m_f.blockFill[0]},
                     {4, m_f.blockFill[1]},
                     {8, m_f.blockFill[2]},
                     {16, m_f.blockFill[3]},
                     // Not measured: three or six unknowns per node show as half-full blocks of 2 or 4.
                     {3, m_f.rows % 3 == 0 ? 1.25 * m_f.blockFill[0] : 0},
                     {6, m_f.rows % 6 == 0 && m_f.blockFill[1] > 0.35 ? 1.25 * m_f.blockFill[1] : 0}};
        for (const auto& [blockSize, measured] : sizes) {
            const double fill = std::min(1.0, measured);
            const auto size = static_cast<double>(blockSize);
            // Rows of B read per entry: 1 / (size * fill); bytes of A per entry: (4 + 4 / size^2) / fill
            // of 8.
            const double rowsOfB = 1 / (size * std::max(fill, 1e-3));
            const double bytesOfA = (4 + 4 / (size * size)) / (8 * std::max(fill, 1e-3));
            const double gain = 1 / (0.6 * rowsOfB + 0.4 * bytesOfA);
            if (fill < 0.2 || gain < 0.8 || (size == 16 && m_mean < 32))
                continue;
            const double blocksPerRow = m_mean / (size * fill);
            const std::string reason =
                fmt::format("blocks of {0} x {0} are {1:.0f} % full", blockSize, 100 * fill);
            const double score = 0.62 + 0.3 * rising(gain, 0.8, 2.2);
            const std::int64_t lanes =
                std::clamp<std::int64_t>(m_across * powerAbove(blocksPerRow / 2, 1, 32), 2, 32);
            add("M8",
                {{"block", 128},
                 {"across", m_across},
                 {"vec", m_vec},
                 {"lanes", lanes},
                 {"size", blockSize},
                 {"unroll", 1}},
                score, reason);
            add("M8",
                {{"block", 128},
                 {"across", m_across},
                 {"vec", m_vec},
                 {"lanes", std::max<std::int64_t>(2, std::max(m_across, lanes / 2))},
                 {"size", blockSize},
                 {"unroll", 2}},
                0.95 * score, reason);
            if (size >= 8)
                add("M8",
                    {{"block", 64},
                     {"across", m_across},
                     {"vec", m_vec},
                     {"lanes", 32},
                     {"size", blockSize},
                     {"unroll", 1}},
                    0.93 * score, reason);
        }
        const double dia = 4.0 * static_cast<double>(m_f.diagonals) * static_cast<double>(m_f.rows);
        if (m_f.diagonals >= 1 && m_f.diagonals <= 256 && dia <= byteLimit() && m_f.diagonalFill > 0.25) {
            const std::string reason =
                fmt::format("{} diagonals, {:.0f} % filled", m_f.diagonals, 100 * m_f.diagonalFill);
            const double score = 0.95 * rising(m_f.diagonalFill, 0.15, 0.7);
            for (std::int64_t unroll : {std::int64_t(4), std::int64_t(8)})
                add("M17",
                    {{"block", unroll == 4 ? 128 : 256},
                     {"across", m_across},
                     {"vec", m_vec},
                     {"unroll", unroll}},
                    score * (unroll == 4 ? 1 : 0.96), reason);
        }
        const double dense = 4.0 * static_cast<double>(m_f.rows) * static_cast<double>(m_f.cols);
        const double places = static_cast<double>(m_f.rows) * static_cast<double>(m_f.cols);
        if (places <= 1.2e6 && m_f.density > 0.005 && m_vec > 1) {
            const std::string reason = fmt::format("{} x {} as a dense matrix", m_f.rows, m_f.cols);
            const double score =
                0.55 + 0.38 * falling(places, 1e5, 1.2e6) + 0.3 * rising(m_f.density, 0.02, 0.3);
            for (std::int64_t tile : {std::int64_t(1), std::int64_t(2), std::int64_t(4)})
                add("M18",
                    {{"block", tile == 1 ? 256 : 128},
                     {"across", 2},
                     {"vec", m_vec},
                     {"tile", tile},
                     {"unroll", tile == 4 ? 8 : 4}},
                    score * (tile == 1   ? falling(places, 2e5, 8e5)
                             : tile == 2 ? 0.97
                                         : 0.94),
                    reason);
        }
        if (m_f.density >= 0.2 && dense <= byteLimit()) {
            const std::string reason = fmt::format("{:.0f} % of A are not zero", 100 * m_f.density);
            const double score = 0.4 + 0.55 * rising(m_f.density, 0.2, 0.6);
            for (std::int64_t tile : {std::int64_t(2), std::int64_t(4), std::int64_t(8)})
                add("M18",
                    {{"block", m_f.cols > 1024 ? 256 : 128},
                     {"across", std::max<std::int64_t>(2, m_across)},
                     {"vec", m_vec},
                     {"tile", tile},
                     {"unroll", tile == 8 ? 2 : 4}},
                    score * (tile == 4 ? 1 : 0.95), reason);
        }
    }

    /// M6, M11 and M13: rows of very different length.
    void unequal()
    {
        const double longest = static_cast<double>(m_f.rowMax);
        const double skew = longest / std::max(1.0, m_typical);
        const std::string reason =
            fmt::format("longest row {} entries, {:.1f} times the mean", m_f.rowMax, longest / m_mean);
        if (longest > 96 && skew > 2.5 && m_vec > 1) {
            const std::int64_t lanes = lanesFor(4);
            const double score = 0.55 + 0.45 * rising(std::log2(skew), 1.5, 5);
            const std::int64_t split =
                std::clamp<std::int64_t>(powerAbove(4.0 * std::max(m_typical, 8.0), 32, 1024), 32, 1024);
            const auto one = [&](std::int64_t block, std::int64_t at, std::int64_t piece, std::int64_t fused,
                                 std::int64_t batch, double factor) {
                if (at > m_f.rowMax)
                    return;
                add("M11",
                    {{"block", block},
                     {"across", m_across},
                     {"vec", m_vec},
                     {"lanes", std::max<std::int64_t>(lanes, 2)},
                     {"split", at},
                     {"piece", piece},
                     {"fused", fused},
                     {"unroll", 4},
                     {"batch", batch}},
                    score * factor, reason);
            };
            // About two batches of four for the longest row.
            const std::int64_t block = powerAbove(longest * static_cast<double>(m_across) / 8, 128, 1024);
            one(block, split, 0, 1, 1, 0.98);
            one(128, split, 0, 1, 1, block > 256 ? 0.85 : 1);
            one(256, std::max<std::int64_t>(64, split), 0, 1, 1, 0.95);
            if (m_brief) {
                one(std::min<std::int64_t>(1024, 2 * block), split, 0, 1, 1, 0.9);
                return;
            }
            one(128, std::max<std::int64_t>(32, split / 2), 0, 1, 1, block > 256 ? 0.8 : 0.9);
            one(512, split, 0, 1, 1, 0.88);
            one(256, std::min<std::int64_t>(1024, split * 2), 0, 1, 2, 0.9);
            one(128, 32, 0, 1, 1,
                0.8 + 0.1 * std::max(idle(), rising(m_typical * static_cast<double>(m_across) / 32, 2, 8)));
            if (longest > 2048) {
                // Rows for which one block is too few lanes.
                const double huge = rising(longest * static_cast<double>(m_across), 8192, 24576);
                one(256, std::max<std::int64_t>(split, 256), 1024, 1, 1, 0.85 + 0.15 * huge);
                one(128, std::max<std::int64_t>(split, 256), 512, 1, 1, 0.84 + 0.14 * huge);
                one(256, 1024, 2048, 1, 2, 0.82 + 0.14 * huge);
            }
        }
        if (m_brief)
            return;
        const double irregular = std::max(rising(m_f.rowCv, 0.8, 3), rising(m_f.emptyRows, 0.1, 0.6));
        if (irregular > 0 && longest > 16) {
            const double score = (0.35 + 0.3 * irregular) * (0.75 + 0.25 * rising(skew, 8, 60));
            const std::int64_t items = m_f.nnz > 2000000 ? 128 : m_f.nnz > 200000 ? 64 : 32;
            for (std::int64_t size : {items, items / 2})
                add("M6",
                    {{"block", 128},
                     {"across", m_across},
                     {"vec", m_vec},
                     {"lanes", m_across <= 2 && size == items ? 8 : 2},
                     {"items", size},
                     {"unroll", 4},
                     {"batch", 0}},
                    score * (size == items ? 1 : 0.94), reason);
        }
        if (m_mean < 3 || m_f.emptyRows > 0.4)
            for (std::int64_t items : {std::int64_t(4), std::int64_t(16)})
                add("M13",
                    {{"block", 128}, {"across", m_across}, {"vec", m_vec}, {"items", items}, {"unroll", 1}},
                    (0.3 + 0.3 * m_f.emptyRows) * (items == 4 ? 1 : 0.9), reason);
    }

    /// M20: three ranges of row lengths, two of them padded.
    void buckets()
    {
        const auto longest = static_cast<double>(m_f.rowMax);
        const double few = falling(static_cast<double>(m_f.rows) * static_cast<double>(m_whole),
                                   0.3 * deviceThreads, 1.5 * deviceThreads);
        if (m_vec == 1 || few <= 0 || m_f.rowMax < 4 || m_mean > 96)
            return;
        const std::string reason =
            fmt::format("{} rows, 80 % of at most {} entries, longest {}", m_f.rows, m_f.rowQ80, m_f.rowMax);
        const std::int64_t first = powerAbove(static_cast<double>(m_f.rowQ80) + 1, 4, 32);
        const std::int64_t second =
            std::max<std::int64_t>(64, powerAbove(static_cast<double>(m_f.rowQ99) + 1, 64, 512));
        const double padding = 8.0 * static_cast<double>(m_f.rows) * static_cast<double>(first) +
                               8.0 * 0.3 * static_cast<double>(m_f.rows) * static_cast<double>(second);
        if (padding > 0.5 * byteLimit())
            return;
        const std::int64_t block = powerAbove(longest * static_cast<double>(m_across) / 8, 128, 1024);
        const double score = 0.97 * few * (longest > 1.5 * m_typical ? 1 : 0.6);
        const auto one = [&](std::int64_t threads, std::int64_t low, std::int64_t high, std::int64_t each,
                             double factor) {
            low = std::clamp<std::int64_t>(low, 4, 32);
            const std::int64_t lanes = std::clamp<std::int64_t>(
                m_across * powerAbove(static_cast<double>(low) / static_cast<double>(each), 1, 16),
                std::max<std::int64_t>(2, m_across), 16);
            add("M20",
                {{"block", threads},
                 {"across", m_across},
                 {"vec", m_vec},
                 {"lanes", lanes},
                 {"mid_lanes", 32},
                 {"first", low},
                 {"second", std::clamp<std::int64_t>(high, 64, 512)},
                 {"unroll", each},
                 {"batch", 1}},
                score * factor, reason);
        };
        const std::int64_t large = longest > static_cast<double>(second) ? block : 128;
        one(large, first, second, 4, 1);
        one(large, first, 64, 4, 0.96);
        if (m_brief)
            return;
        one(256, 2 * first, second, 4, 0.93);
        one(128, first, second, 8, 0.9);
        one(large, first / 2, 64, 4, 0.88);
        one(std::min<std::int64_t>(1024, 2 * large), 2 * first, 128, 4, 0.86);
    }

    /// M19: few long rows.
    void wholeBlocks()
    {
        const double fewRows = falling(static_cast<double>(m_f.rows), 1500, 20000);
        const double longest = static_cast<double>(m_f.rowQ99);
        // What a lane of a warp alone would have of a row.
        const double alone = m_typical * static_cast<double>(m_across) / 32;
        const double longRows = std::max(rising(alone, 1.5, 8), fewRows * rising(longest, 16, 64));
        if (longRows <= 0)
            return;
        const double score = 0.98 * longRows * (0.6 + 0.4 * std::max(fewRows, rising(alone, 4, 32)));
        const std::string reason = fmt::format("{} rows of mean length {:.0f}", m_f.rows, m_mean);
        const auto one = [&](std::int64_t block, std::int64_t unroll, std::int64_t batch, double factor) {
            add("M19",
                {{"block", block},
                 {"across", std::max<std::int64_t>(2, m_across)},
                 {"vec", m_vec},
                 {"merge", 1},
                 {"unroll", unroll},
                 {"batch", batch}},
                score * factor, reason);
        };
        // About four entries per thread; on an idle device of the long rows.
        const double length = std::max(m_mean, fewRows * longest);
        const std::int64_t block = std::clamp<std::int64_t>(
            powerAbove(length * static_cast<double>(m_across) / 4, 64, 256), 64, 256);
        one(block, 4, 1, 1);
        if (m_brief) {
            one(std::min<std::int64_t>(256, block * 2), 2, 1, 0.95);
            return;
        }
        one(std::max<std::int64_t>(64, block / 2), 4, 1, 0.97);
        one(std::max<std::int64_t>(64, block / 2), 8, 1, 0.9);
        one(std::min<std::int64_t>(256, block * 2), 2, 1, 0.92);
        one(std::max<std::int64_t>(64, block / 4), 4, 2, 0.9);
    }

    /// M12 and slices of B: B does not fit into the caches.
    void large()
    {
        if (m_vec == 1)
            return;
        const double bytesOfB = 4.0 * static_cast<double>(m_f.cols) * static_cast<double>(m_columns);
        const double others = 8.0 * static_cast<double>(m_f.nnz) +
                              4.0 * static_cast<double>(m_f.rows) * static_cast<double>(m_columns);
        if (bytesOfB + others > 1.3 * cacheBytes) {
            const std::string everything =
                fmt::format("A, B and C take {:.0f} MB", (bytesOfB + others) / 1e6);
            const std::int64_t lanes = lanesFor(4);
            for (std::int64_t batch : {std::int64_t(1), std::int64_t(0)})
                add("M4",
                    {{"block", batch ? 128 : 256},
                     {"across", m_across},
                     {"vec", m_vec},
                     {"lanes", lanes},
                     {"unroll", 4},
                     {"batch", batch},
                     {"stream", 1}},
                    (batch ? 0.93 : 0.89) * evenness(), everything);
        }
        if (bytesOfB < cacheBytes)
            return;
        const std::string reason = fmt::format("B takes {:.0f} MB", bytesOfB / 1e6);
        const double reuse = rising(static_cast<double>(m_f.nnz) / std::max(1.0, double(m_f.cols)), 2, 12);
        for (std::int64_t across : {m_across / 4, m_across / 2}) {
            if (across < 2)
                continue;
            add("M4",
                {{"block", 256},
                 {"across", across},
                 {"vec", m_vec},
                 {"lanes", std::clamp<std::int64_t>(across * powerAbove(m_mean / 8, 1, 16), 2, 32)},
                 {"unroll", 4},
                 {"batch", 0},
                 {"stream", 1}},
                0.65 + 0.25 * reuse, reason);
        }
        add("M12",
            {{"block", 256},
             {"across", m_across},
             {"vec", m_vec},
             {"lanes", std::max<std::int64_t>(2, m_across)},
             {"unroll", 4},
             {"batch", 0},
             {"width", 65536}},
            0.5 + 0.2 * reuse, reason);
    }

    void plain()
    {
        add("M1", {{"block", 128}, {"merge", 1}, {"unroll", 4}}, 0.5 * evenness(), m_lengths);
        add("M1", {{"block", 256}, {"merge", m_columns >= 16 ? 2 : 1}, {"unroll", 2}}, 0.4 * evenness(),
            m_lengths);
        if (m_vec == 1)
            return;
        add("M7",
            {{"block", 128},
             {"across", std::min<std::int64_t>(8, m_across * 2)},
             {"merge", 2},
             {"lanes", 32},
             {"unroll", 2},
             {"batch", 1}},
            0.35 * evenness(), m_lengths);
    }

    const MatrixFeatures& m_f;
    std::int64_t m_columns = 1, m_vec = 1;
    std::int64_t m_whole = 1;  ///< Lanes that cover a row of B.
    std::int64_t m_across = 1; ///< Lanes side by side in the candidates being made.
    bool m_brief = false;      ///< Only the most promising ones.
    double m_weight = 1;
    double m_mean = 0, m_typical = 0;
    std::string m_lengths;
    std::vector<Candidate> m_all;
};

} // namespace

std::vector<Candidate> recommendSpmm(const MatrixFeatures& features, std::int64_t denseColumns)
{
    return Portfolio(features, denseColumns).all();
}

} // namespace sparserl
