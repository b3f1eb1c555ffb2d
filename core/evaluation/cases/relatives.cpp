// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/relatives.h"

#include "base/rng.h"
#include "evaluation/cases/drawn_sizes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace sparserl {

namespace {

constexpr std::int64_t mostDiagonals = 512; ///< Of the format dia.
constexpr std::int32_t runLength = 64;      ///< A multiple of the blocks that formats use.
constexpr std::int32_t mostColumns = 65536; ///< So that 16-bit offsets fit.

/// Rows of a target in their new order, with columns moved.
class Gatherer
{
public:
    /// `keepDiagonals`: columns move with their rows, around the edges.
    Gatherer(const Csr& target, std::int32_t cols, bool keepDiagonals)
        : m_target(target)
        , m_keepDiagonals(keepDiagonals)
    {
        m_out.cols = cols;
        m_out.type = target.type;
    }

    std::int32_t rows() const { return m_out.rows; }
    std::int64_t entries() const { return m_out.nnz(); }

    void add(std::int32_t row, std::int64_t most)
    {
        const auto from = static_cast<std::size_t>(m_target.rowPtr[static_cast<std::size_t>(row)]);
        const auto length = static_cast<std::size_t>(std::min<std::int64_t>(m_target.rowLength(row), most));
        const std::int64_t shift = m_keepDiagonals ? std::int64_t(row) - m_out.rows : 0;
        m_row.clear();
        for (std::size_t at = from; at < from + length; ++at) {
            std::int64_t column = (m_target.col[at] - shift) % std::max(m_out.cols, 1);
            column += column < 0 ? m_out.cols : 0;
            m_row.emplace_back(static_cast<std::int32_t>(column), m_target.value(at));
        }
        std::stable_sort(m_row.begin(), m_row.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
        m_row.erase(std::unique(m_row.begin(), m_row.end(), same), m_row.end());
        for (const auto& [column, value] : m_row) {
            m_out.col.push_back(column);
            m_out.addValue(value);
        }
        m_out.rowPtr.push_back(static_cast<std::int32_t>(m_out.col.size()));
        ++m_out.rows;
    }

    Csr finish() { return std::move(m_out); }

private:
    const Csr& m_target;
    bool m_keepDiagonals;
    Csr m_out;
    std::vector<std::pair<std::int32_t, double>> m_row; ///< Entries of the row at hand.
};

/// Row numbers, longest first.
std::vector<std::int32_t> longestRows(const Csr& target, std::size_t count)
{
    std::vector<std::int32_t> rows(static_cast<std::size_t>(target.rows));
    std::iota(rows.begin(), rows.end(), 0);
    count = std::min(count, rows.size());
    std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end(),
                      [&](std::int32_t a, std::int32_t b) {
                          return std::pair(-target.rowLength(a), a) < std::pair(-target.rowLength(b), b);
                      });
    rows.resize(count);
    return rows;
}

/// Three to seven thousand, more where many entries are affordable.
std::int32_t thousandsOfRows(std::int64_t mostEntries, int divisor, Rng& rng)
{
    return multipleNear(
        static_cast<std::int32_t>(rng.between(3000, 7000) * std::max<std::int64_t>(1, mostEntries / 160'000)),
        divisor);
}

/// Whether a format of so many bytes applies to a target, but hardly.
bool nearLimit(const Csr& target, std::int64_t bytes)
{
    constexpr std::int64_t free = std::int64_t(64) << 20;
    return bytes <= 8 * target.bytes() + free && bytes > free / 5 * 4;
}

/// The whole target with some neighbours left out or twice.
Csr nearlyWhole(const Csr& target, bool keepDiagonals, Rng& rng)
{
    const std::int32_t most = std::max(1, target.rows / 8);
    // Formats that just fit the limit on bytes must fit here as well.
    const std::int32_t longest = longestRows(target, 1).front();
    const std::int64_t rows = target.rows;
    const bool roomy = !nearLimit(target, 4 * rows * target.cols) &&
                       !nearLimit(target, 8 * rows * target.rowLength(longest));
    const bool twice = target.rows < 3 || (roomy && rng.chance(0.5));
    const auto sign = twice ? 1 : -1;
    // A multiple as far as one is near; never the target's own number.
    const auto drawn = static_cast<std::int32_t>(rng.between(1, most));
    const int divisor = drawSizeDivisor(rng);
    auto change = sign * (multipleNear(target.rows + sign * drawn, divisor) - target.rows);
    while (change > most)
        change -= divisor == 1 ? 2 : divisor;
    while (change < 1 && change + divisor <= most)
        change += divisor == 1 ? 2 : divisor;
    if (change < 1 || change > most)
        change = drawn;
    change = std::min(change, target.rows);
    // The longest row always stays, so it is better not among those that go.
    std::int32_t at = 0;
    for (int i = 0; i < 16 && (i == 0 || (!twice && longest >= at && longest < at + change)); ++i)
        at = static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(target.rows - change + 1)));
    Gatherer out(target,
                 target.cols + static_cast<std::int32_t>(rng.between(0, roomy ? target.cols / 16 : 0)),
                 keepDiagonals);
    for (std::int32_t row = 0; row < target.rows; ++row) {
        const bool chosen = row >= at && row < at + change;
        if (!chosen || twice || row == longest)
            out.add(row, target.nnz());
        if (twice && row == at + change - 1)
            for (std::int32_t again = at; again < at + change; ++again)
                out.add(again, target.nnz());
    }
    return out.finish();
}

Csr sampled(const Csr& target, std::int64_t mostEntries, bool keepDiagonals, Rng& rng)
{
    const int divisor = drawSizeDivisor(rng);
    std::int32_t wanted = thousandsOfRows(mostEntries, divisor, rng);
    if (wanted > target.rows)
        wanted = multipleNear(std::max(1, static_cast<std::int32_t>(target.rows * rng.uniform(0.6, 0.95))),
                              divisor);
    const auto longest = longestRows(target, 8);
    const std::int64_t longestEntries =
        std::min<std::int64_t>(target.rowLength(longest.front()), mostEntries / 2);
    std::int32_t cols = target.cols;
    if (cols > mostColumns)
        cols = std::max(static_cast<std::int32_t>(rng.between(600, mostColumns / runLength)) * runLength,
                        static_cast<std::int32_t>((longestEntries + runLength - 1) / runLength * runLength));
    std::int64_t kept = 0; // Of the longest rows.
    std::vector<std::int32_t> whole;
    for (const std::int32_t row : longest)
        if (whole.empty() || kept + target.rowLength(row) <= mostEntries / 2) {
            whole.push_back(row);
            kept += std::min<std::int64_t>(target.rowLength(row), mostEntries / 2);
        }
    // Runs, by position: the first, the last, and others by lot.
    const std::int32_t runs = (target.rows + runLength - 1) / runLength;
    std::set<std::int32_t> chosen{0, runs - 1};
    const auto count = static_cast<std::size_t>(std::min(runs, (wanted + runLength - 1) / runLength));
    while (chosen.size() < count)
        chosen.insert(static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(runs))));
    Gatherer out(target, cols, keepDiagonals);
    // Short rows in the end, which do not change what is special about it: the entries may run out first.
    constexpr std::int64_t shortRow = 8;
    const std::int64_t room = std::max<std::int64_t>(0, mostEntries - kept - divisor * shortRow);
    const auto rowsOfRuns = wanted - static_cast<std::int32_t>(whole.size());
    for (const std::int32_t run : chosen)
        for (std::int32_t row = run * runLength; row < std::min(target.rows, (run + 1) * runLength); ++row) {
            // Rows that would take the room of hundreds are among the longest.
            const std::int64_t length = target.rowLength(row);
            if (out.rows() < rowsOfRuns && out.entries() + length <= room &&
                length <= std::max<std::int64_t>(room / 16, 1))
                out.add(row, length);
        }
    for (const std::int32_t row : whole)
        out.add(row, longestEntries);
    for (std::int32_t row = 0; out.rows() != multipleNear(out.rows(), divisor); ++row)
        out.add(row % target.rows, shortRow);
    return out.finish();
}

/// Neighbours only, with what lies in a window of columns: no diagonal that the target does not have.
Csr window(const Csr& target, std::int32_t mostRows, std::int64_t mostEntries, Rng& rng)
{
    const std::int32_t wanted = std::max(1, std::min(target.rows - 1, mostRows));
    const auto first =
        static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(target.rows - wanted + 1)));
    Csr out;
    out.type = target.type;
    out.cols = std::min(target.cols, mostColumns);
    for (std::int32_t row = first; row < first + wanted && out.nnz() + target.rowLength(row) <= mostEntries;
         ++row) {
        for (auto at = static_cast<std::size_t>(target.rowPtr[static_cast<std::size_t>(row)]);
             at < static_cast<std::size_t>(target.rowPtr[static_cast<std::size_t>(row) + 1]); ++at) {
            const std::int32_t column = target.col[at] - first;
            if (column < 0 || column >= out.cols)
                continue;
            out.col.push_back(column);
            out.addValue(target.value(at));
        }
        out.rowPtr.push_back(static_cast<std::int32_t>(out.col.size()));
        ++out.rows;
    }
    return out;
}

} // namespace

std::int64_t diagonalCount(const Csr& matrix)
{
    std::vector<bool> seen(static_cast<std::size_t>(std::int64_t(matrix.rows) + matrix.cols));
    std::int64_t count = 0;
    for (std::int32_t row = 0; row < matrix.rows; ++row)
        for (auto at = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
             at < static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row) + 1]); ++at) {
            auto place = seen[static_cast<std::size_t>(std::int64_t(matrix.col[at]) - row + matrix.rows)];
            count += !place;
            place = true;
        }
    return count;
}

std::int64_t largeRelativeEntries(std::int64_t denseColumns)
{
    return denseColumns <= 1 ? 160'000 : denseColumns <= 8 ? 40'000 : 20'000;
}

Csr largeRelative(const Csr& target, std::uint64_t seed, std::int64_t mostEntries)
{
    constexpr std::int32_t mostRows = 10'000;
    Rng rng(seed);
    if (target.rows == 0 || target.cols == 0)
        return target;
    const bool diagonals = diagonalCount(target) <= mostDiagonals;
    const bool whole =
        target.rows <= mostRows && target.cols <= mostColumns && target.nnz() <= mostEntries * 7 / 8;
    Csr out = whole ? nearlyWhole(target, diagonals, rng) : sampled(target, mostEntries, diagonals, rng);
    if (diagonals && diagonalCount(out) > mostDiagonals)
        out = window(target, thousandsOfRows(mostEntries, drawSizeDivisor(rng), rng), mostEntries, rng);
    return out;
}

Csr smallRelative(const Csr& target, std::uint64_t seed)
{
    constexpr std::int32_t mostRows = 64;
    constexpr std::int64_t mostEntries = 2048;
    Rng rng(seed);
    std::set<std::int32_t> rows;
    if (target.rows > 0) {
        std::int32_t longest = 0, shortest = 0;
        for (std::int32_t row = 0; row < target.rows; ++row) {
            longest = target.rowLength(row) > target.rowLength(longest) ? row : longest;
            shortest = target.rowLength(row) < target.rowLength(shortest) ? row : shortest;
        }
        rows = {0, target.rows - 1, longest, shortest};
        // Runs of neighbours, since formats and mappings depend on them.
        // Rows that fill two warps, or not.
        const auto wanted =
            static_cast<std::int32_t>(std::min<std::int64_t>(target.rows, mostRows - rng.between(0, 3)));
        while (static_cast<std::int32_t>(rows.size()) < wanted) {
            auto row = static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(target.rows)));
            for (int i = 0; i < 8 && row < target.rows && static_cast<std::int32_t>(rows.size()) < wanted;
                 ++i)
                rows.insert(row++);
        }
    }
    // A long row keeps what is left when every other has at least its share.
    std::int64_t left = mostEntries, rowsLeft = static_cast<std::int64_t>(rows.size());
    std::vector<std::int32_t> order(rows.begin(), rows.end());
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return std::pair(target.rowLength(a), a) < std::pair(target.rowLength(b), b);
    });
    std::map<std::int32_t, std::int32_t> kept;
    for (const std::int32_t row : order) {
        const std::int64_t length = std::min<std::int64_t>(target.rowLength(row), left / rowsLeft--);
        kept[row] = static_cast<std::int32_t>(length);
        left -= length;
    }
    std::set<std::int32_t> used;
    for (const std::int32_t row : rows)
        for (std::int32_t k = 0; k < kept[row]; ++k)
            used.insert(
                target.col[static_cast<std::size_t>(target.rowPtr[static_cast<std::size_t>(row)] + k)]);
    const std::vector<std::int32_t> columns(used.begin(), used.end());
    Csr out;
    out.type = target.type;
    out.rows = static_cast<std::int32_t>(rows.size());
    out.cols = std::max<std::int32_t>(static_cast<std::int32_t>(columns.size()), target.cols > 0 ? 1 : 0);
    for (const std::int32_t row : rows) {
        for (std::int32_t k = 0; k < kept[row]; ++k) {
            const auto at = static_cast<std::size_t>(target.rowPtr[static_cast<std::size_t>(row)] + k);
            out.col.push_back(static_cast<std::int32_t>(
                std::lower_bound(columns.begin(), columns.end(), target.col[at]) - columns.begin()));
            out.addValue(target.value(at));
        }
        out.rowPtr.push_back(static_cast<std::int32_t>(out.col.size()));
    }
    if (diagonalCount(out) > mostDiagonals && diagonalCount(target) <= mostDiagonals)
        return window(target, mostRows - 1, mostEntries, rng);
    return out;
}

} // namespace sparserl
