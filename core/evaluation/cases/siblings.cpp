// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/siblings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <utility>

namespace sparserl {

namespace {

constexpr std::int32_t runOfRows = 32;
constexpr int tries = 200;        ///< To find an entry or a row by lot.
constexpr int diagonalTries = 24; ///< Each reads the whole pattern.

std::size_t beginOf(const Csr& matrix, std::int32_t row)
{
    return static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
}
std::size_t lengthOf(const Csr& matrix, std::int32_t row)
{
    return static_cast<std::size_t>(matrix.rowLength(row));
}
std::span<const std::int32_t> columnsOf(const Csr& matrix, std::int32_t row)
{
    return std::span(matrix.col).subspan(beginOf(matrix, row), lengthOf(matrix, row));
}
bool has(const Csr& matrix, std::int32_t row, std::int32_t column)
{
    return std::ranges::binary_search(columnsOf(matrix, row), column);
}
std::int32_t rowOf(const Csr& matrix, std::size_t at)
{
    const auto after = std::ranges::upper_bound(matrix.rowPtr, static_cast<std::int32_t>(at));
    return static_cast<std::int32_t>(after - matrix.rowPtr.begin()) - 1;
}

/// An entry that is put elsewhere.
struct Move
{
    std::size_t at = 0;
    std::int32_t row = 0, column = 0; ///< Where it is then.
};

/// Places of moves are free in the matrix, and no two are alike.
Csr withMoves(const Csr& matrix, const std::vector<Move>& moves)
{
    std::vector<bool> gone(matrix.col.size());
    for (const Move& one : moves)
        gone[one.at] = true;
    std::vector<Move> added = moves;
    std::ranges::sort(added, {}, [](const Move& one) { return std::pair(one.row, one.column); });
    Csr out;
    out.cols = matrix.cols;
    out.type = matrix.type;
    auto next = added.begin();
    const auto take = [&](std::int32_t column, std::size_t at) {
        out.col.push_back(column);
        out.addValue(matrix.value(at));
    };
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        for (std::size_t at = beginOf(matrix, row), end = at + lengthOf(matrix, row); at < end; ++at) {
            for (; next != added.end() && next->row == row && next->column < matrix.col[at]; ++next)
                take(next->column, next->at);
            if (!gone[at])
                take(matrix.col[at], at);
        }
        for (; next != added.end() && next->row == row; ++next)
            take(next->column, next->at);
        out.rowPtr.push_back(static_cast<std::int32_t>(out.col.size()));
        ++out.rows;
    }
    return out;
}

/// An entry by lot that shows where it is: no zero, and not lost beside the rest of its row.
std::size_t entryThatShows(const Csr& matrix, Rng& rng)
{
    const std::int32_t row = rowOf(matrix, rng.below(static_cast<std::uint64_t>(matrix.nnz())));
    const std::size_t begin = beginOf(matrix, row), end = begin + lengthOf(matrix, row);
    const auto magnitude = [&](std::size_t at) { return std::abs(matrix.value(at)); };
    double largest = 0;
    for (std::size_t at = begin; at < end; ++at)
        largest = std::max(largest, magnitude(at));
    std::size_t at = begin + rng.below(end - begin);
    while (magnitude(at) < largest / 16)
        at = at + 1 < end ? at + 1 : begin;
    return at;
}

/// One in a hundred, and a few.
std::size_t someOf(const Csr& matrix)
{
    return static_cast<std::size_t>(4 + matrix.nnz() / 100);
}

using Place = std::pair<std::int32_t, std::int32_t>;

/// Puts `count` entries by lot where `place` says, fewer where that is rarely free.
template <typename PlaceOf>
std::optional<Csr> moved(const Csr& target, std::size_t count, Rng& rng, const PlaceOf& place)
{
    std::vector<Move> moves;
    std::set<std::size_t> used;
    std::set<Place> taken;
    for (std::size_t i = 0; moves.size() < count && i < 2 * count + tries; ++i) {
        const std::size_t at = entryThatShows(target, rng);
        const Place to = place(at);
        const auto [row, column] = to;
        const bool isFree =
            row >= 0 && row < target.rows && column >= 0 && column < target.cols && !has(target, row, column);
        if (!isFree || used.contains(at) || !taken.insert(to).second)
            continue;
        used.insert(at);
        moves.push_back({at, row, column});
    }
    if (moves.empty())
        return std::nullopt;
    return withMoves(target, moves);
}

/// All entries with columns `offset` after their rows.
std::vector<std::size_t> diagonalOf(const Csr& matrix, std::int32_t offset)
{
    std::vector<std::size_t> entries;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        const auto columns = columnsOf(matrix, row);
        const auto found = std::ranges::lower_bound(columns, row + offset);
        if (found != columns.end() && *found == row + offset)
            entries.push_back(beginOf(matrix, row) + static_cast<std::size_t>(found - columns.begin()));
    }
    return entries;
}

/// The entries of one diagonal on an empty one, beside it or a few further, in the same rows.
std::optional<Csr> diagonalMoved(const Csr& target, Rng& rng)
{
    for (int i = 0; i < diagonalTries; ++i) {
        const std::size_t at = entryThatShows(target, rng);
        const std::int32_t from = target.col[at] - rowOf(target, at);
        const auto distance = static_cast<std::int32_t>(rng.between(1, 1 + i / 4));
        const std::int32_t to = from + (rng.next() & 1 ? distance : -distance);
        if (!diagonalOf(target, to).empty())
            continue;
        std::vector<Move> moves;
        bool hasRoom = true;
        for (const std::size_t one : diagonalOf(target, from)) {
            const std::int32_t row = rowOf(target, one);
            hasRoom = hasRoom && row + to >= 0 && row + to < target.cols;
            moves.push_back({one, row, row + to});
        }
        if (hasRoom)
            return withMoves(target, moves);
    }
    return std::nullopt;
}

/// Rows by lot get the first entry of the row after them or lose their last one to it, where columns stay in
/// order within rows.
std::optional<Csr> boundariesMoved(const Csr& target, Rng& rng)
{
    Csr out = target;
    const auto count = static_cast<std::size_t>(rng.next() & 1 ? 1 : 4 + target.rows / 100);
    std::size_t changed = 0;
    for (std::size_t i = 0; changed < count && i < 2 * count + tries && target.rows > 1; ++i) {
        const auto row = static_cast<std::size_t>(rng.below(static_cast<std::uint64_t>(target.rows) - 1));
        auto& end = out.rowPtr[row + 1];
        const std::int32_t begin = out.rowPtr[row], endOfNext = out.rowPtr[row + 2];
        const bool ascends =
            end > begin && end < endOfNext &&
            out.col[static_cast<std::size_t>(end) - 1] < out.col[static_cast<std::size_t>(end)];
        const bool grows = rng.next() & 1;
        if (end == (grows ? endOfNext : begin) || (!ascends && begin < end && end < endOfNext))
            continue;
        end += grows ? 1 : -1;
        ++changed;
    }
    return out;
}

std::int32_t below(std::int32_t count, Rng& rng)
{
    return static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(count)));
}

/// Row i is row `order[i]` of the target, with columns by `names` where that is not empty.
Csr reordered(const Csr& target, const std::vector<std::int32_t>& order,
              const std::vector<std::int32_t>& names = {})
{
    Csr out;
    out.rows = target.rows;
    out.cols = target.cols;
    out.type = target.type;
    std::vector<std::pair<std::int32_t, std::size_t>> row;
    for (const std::int32_t from : order) {
        row.clear();
        for (std::size_t at = beginOf(target, from), end = at + lengthOf(target, from); at < end; ++at)
            row.emplace_back(names.empty() ? target.col[at] : names[static_cast<std::size_t>(target.col[at])],
                             at);
        std::ranges::sort(row);
        for (const auto& [column, at] : row) {
            out.col.push_back(column);
            out.addValue(target.value(at));
        }
        out.rowPtr.push_back(static_cast<std::int32_t>(out.col.size()));
    }
    return out;
}

std::vector<std::int32_t> inOrder(std::int32_t count)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

std::vector<std::int32_t> twoExchanged(const Csr& target, Rng& rng)
{
    auto order = inOrder(target.rows);
    for (int i = 0; i < tries; ++i) {
        const std::int32_t a = below(target.rows, rng), b = below(target.rows, rng);
        if (std::ranges::equal(columnsOf(target, a), columnsOf(target, b)))
            continue;
        std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
        break;
    }
    return order;
}

std::vector<std::int32_t> shuffledWithin(std::int32_t count, std::int32_t run, Rng& rng)
{
    auto order = inOrder(count);
    for (std::int32_t first = 0; first < count; first += run) {
        auto part = std::span(order).subspan(static_cast<std::size_t>(first),
                                             static_cast<std::size_t>(std::min(run, count - first)));
        rng.shuffle(part);
    }
    return order;
}

/// Whether nearly all runs of so many rows have rows with the same columns, as where a node has several
/// unknowns.
bool hasRunsOfAlikeRows(const Csr& matrix, std::int32_t length)
{
    std::int64_t alike = 0;
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        const auto first = columnsOf(matrix, row / length * length);
        alike += std::ranges::equal(first, columnsOf(matrix, row));
    }
    return 10 * alike >= 9 * std::int64_t(matrix.rows);
}

/// Whole runs change places, so that the blocks of the target stay whole, or runs of some length by lot; the
/// rows that are left over stay at the end.
std::vector<std::int32_t> runsShuffled(const Csr& target, Rng& rng)
{
    constexpr std::array lengths{16, 8, 6, 4, 3, 2};
    const auto ofBlocks = std::ranges::find_if(
        lengths, [&](std::int32_t one) { return target.rows >= 2 * one && hasRunsOfAlikeRows(target, one); });
    const std::int32_t length = ofBlocks != lengths.end() ? *ofBlocks : lengths[rng.below(lengths.size())];
    auto order = inOrder(target.rows);
    auto runs = inOrder(target.rows / length);
    rng.shuffle(runs);
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (std::int32_t k = 0; k < length; ++k)
            order[i * static_cast<std::size_t>(length) + static_cast<std::size_t>(k)] = runs[i] * length + k;
    return order;
}

Csr withColumnsAnywhere(const Csr& target, Rng& rng)
{
    Csr out = target;
    std::vector<std::int32_t> all = inOrder(target.cols);
    for (std::int32_t row = 0; row < target.rows; ++row) {
        const std::size_t length = lengthOf(target, row), begin = beginOf(target, row);
        // The first ones of a random order; `all` stays a permutation, whatever it was.
        for (std::size_t i = 0; i < length; ++i)
            std::swap(all[i], all[i + rng.below(all.size() - i)]);
        const auto columns = std::span(out.col).subspan(begin, length);
        std::copy_n(all.begin(), length, columns.begin());
        std::ranges::sort(columns);
    }
    return out;
}

Csr transposed(const Csr& target)
{
    Csr out = target;
    std::ranges::fill(out.rowPtr, 0);
    for (const std::int32_t column : target.col)
        ++out.rowPtr[static_cast<std::size_t>(column) + 1];
    std::partial_sum(out.rowPtr.begin(), out.rowPtr.end(), out.rowPtr.begin());
    auto next = out.rowPtr;
    for (std::int32_t row = 0; row < target.rows; ++row)
        for (std::size_t at = beginOf(target, row), end = at + lengthOf(target, row); at < end; ++at) {
            const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(target.col[at])]++);
            out.col[to] = row;
            out.setValue(to, target.value(at));
        }
    return out;
}

std::optional<Csr> made(const Csr& target, SiblingKind kind, Rng& rng)
{
    const auto anyColumn = [&](std::size_t at) { return Place{rowOf(target, at), below(target.cols, rng)}; };
    const auto beside = [&](std::int32_t number) { return number + (rng.next() & 1 ? 1 : -1); };
    const auto nextColumn = [&](std::size_t at) { return Place{rowOf(target, at), beside(target.col[at])}; };
    const auto nextRow = [&](std::size_t at) { return Place{beside(rowOf(target, at)), target.col[at]}; };
    const auto anyRow = [&](std::size_t at) { return Place{below(target.rows, rng), target.col[at]}; };
    switch (kind) {
    case SiblingKind::OneColumn:
        return moved(target, 1, rng, anyColumn);
    case SiblingKind::SomeColumns:
        return moved(target, someOf(target), rng, anyColumn);
    case SiblingKind::NextColumn:
        return moved(target, 1, rng, nextColumn);
    case SiblingKind::NextColumns:
        return moved(target, someOf(target), rng, nextColumn);
    case SiblingKind::OneRow:
        return moved(target, 1, rng, anyRow);
    case SiblingKind::SomeRows:
        return moved(target, someOf(target), rng, anyRow);
    case SiblingKind::NextRow:
        return moved(target, 1, rng, nextRow);
    case SiblingKind::NextRows:
        return moved(target, someOf(target), rng, nextRow);
    case SiblingKind::Boundaries:
        return boundariesMoved(target, rng);
    case SiblingKind::OneDiagonal:
        return diagonalMoved(target, rng);
    case SiblingKind::TwoRows:
        return reordered(target, twoExchanged(target, rng));
    case SiblingKind::RowsOfRuns:
        return reordered(target, shuffledWithin(target.rows, runOfRows, rng));
    case SiblingKind::RunsOfRows:
        return reordered(target, runsShuffled(target, rng));
    case SiblingKind::AllRows:
        return reordered(target, shuffledWithin(target.rows, target.rows, rng));
    case SiblingKind::Backwards: {
        auto rows = inOrder(target.rows), columns = inOrder(target.cols);
        std::ranges::reverse(rows);
        std::ranges::reverse(columns);
        return reordered(target, rows, columns);
    }
    case SiblingKind::AllNames: {
        if (target.rows != target.cols)
            return std::nullopt;
        const auto rows = shuffledWithin(target.rows, target.rows, rng);
        std::vector<std::int32_t> names(rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i)
            names[static_cast<std::size_t>(rows[i])] = static_cast<std::int32_t>(i);
        return reordered(target, rows, names);
    }
    case SiblingKind::AllColumns:
        return reordered(target, inOrder(target.rows), shuffledWithin(target.cols, target.cols, rng));
    case SiblingKind::Anywhere:
        return withColumnsAnywhere(target, rng);
    case SiblingKind::Transposed:
        return target.rows == target.cols ? std::optional(transposed(target)) : std::nullopt;
    }
    return std::nullopt;
}

} // namespace

std::optional<Csr> sibling(const Csr& target, SiblingKind kind, Rng& rng)
{
    if (target.nnz() == 0)
        return std::nullopt;
    auto other = made(target, kind, rng);
    if (!other || (other->rowPtr == target.rowPtr && other->col == target.col))
        return std::nullopt;
    if (other->type == ElementType::F32)
        other->val64.clear(); // What the values were rounded from stays with the target.
    return other;
}

std::vector<SiblingKind> siblingOrder(bool every, Rng& rng)
{
    std::vector<SiblingKind> order(siblingKinds.begin(), siblingKinds.end());
    rng.shuffle(order);
    if (!every)
        return order;
    const auto first = [&](std::ptrdiff_t place, std::initializer_list<SiblingKind> kinds) {
        const auto begin = order.begin() + place;
        const auto found = std::find_first_of(begin, order.end(), kinds.begin(), kinds.end());
        std::rotate(begin, found, found + 1);
    };
    first(0, {SiblingKind::AllRows, SiblingKind::AllColumns, SiblingKind::Anywhere});
    first(1, {SiblingKind::OneColumn, SiblingKind::SomeColumns, SiblingKind::TwoRows});
    return order;
}

} // namespace sparserl
