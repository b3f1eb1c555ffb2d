// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/value_changes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <type_traits>

namespace sparserl {

namespace {

/// A value that differs, and is as likely to be found in the matrix.
template <typename T>
T other(T value, Rng& rng)
{
    return value == 0 ? T(1) : value * (rng.next() & 1 ? T(-1) : T(0.5));
}

/// Exchanged for other values of the matrix where they are `known` ones, so that their distribution stays.
template <typename T>
void changeFew(std::vector<T>& values, Rng& rng)
{
    const auto count = static_cast<std::uint64_t>(values.size());
    const bool known = rng.next() & 1;
    for (std::uint64_t left = std::min(count, 4 + rng.below(12 + count / 1000)); left > 0; --left) {
        T& value = values[rng.below(count)];
        bool done = false;
        for (int tries = 0; known && !done && tries < 8; ++tries) {
            T& second = values[rng.below(count)];
            done = std::abs(second) != std::abs(value);
            if (done)
                std::swap(value, second);
        }
        if (!done)
            value = other(value, rng);
    }
}

template <typename T>
void changeRange(std::vector<T>& values, std::size_t from, std::size_t to, std::size_t step, Rng& rng)
{
    for (std::size_t at = from; at < to; at += step)
        values[at] = other(values[at], rng);
}

/// One to eight of so many neighbours.
template <typename T>
void changeSome(std::vector<T>& values, std::size_t from, std::size_t count, Rng& rng)
{
    values[from] = other(values[from], rng);
    for (std::uint64_t left = rng.below(8); left > 0; --left) {
        T& value = values[from + rng.below(count)];
        value = other(value, rng);
    }
}

template <typename T>
void changeLongestRow(const Csr& out, std::vector<T>& values, Rng& rng)
{
    std::int32_t longest = 0;
    for (std::int32_t row = 1; row < out.rows; ++row)
        if (out.rowLength(row) > out.rowLength(longest))
            longest = row;
    const auto from = static_cast<std::size_t>(out.rowPtr[static_cast<std::size_t>(longest)]);
    changeRange(values, from, from + static_cast<std::size_t>(out.rowLength(longest)), 1, rng);
}

template <typename T>
void changeFirsts(const Csr& out, std::vector<T>& values, Rng& rng)
{
    bool any = false;
    for (std::int32_t row = 0; row < out.rows; ++row)
        if (out.rowLength(row) > 0 && (!any || rng.next() & 1)) {
            T& value = values[static_cast<std::size_t>(out.rowPtr[static_cast<std::size_t>(row)])];
            value = other(value, rng);
            any = true;
        }
}

/// Bits between `lowest` and `highest`, both included, of the words of all values.
template <typename T>
void changeBits(std::vector<T>& values, std::uint64_t lowest, std::uint64_t highest, Rng& rng)
{
    using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    for (T& value : values)
        value = std::bit_cast<T>(
            static_cast<Word>(std::bit_cast<Word>(value) ^ (lowest + rng.below(highest - lowest + 1))));
}

template <typename T>
void moveByUnits(std::vector<T>& values, std::int32_t rows, bool outwards, Rng& rng)
{
    constexpr double seen = 64; // Of one value of each row.
    const double share =
        std::max(std::exp2(rng.uniform(std::log2(0.01), 0)), std::min(1.0, seen / std::max<double>(rows, 1)));
    for (T& value : values)
        if (value != 0 && rng.chance(share)) {
            const T moved = std::nextafter(value, !outwards && rng.next() & 1 ? T(0) : 2 * value);
            value = std::isfinite(moved) ? moved : value;
        }
}

template <typename T>
void changeSigns(std::vector<T>& values, Rng& rng)
{
    for (std::uint64_t left = 1 + rng.below(8); left > 0; --left) {
        T& value = values[rng.below(values.size())];
        value = value == 0 ? T(1) : -std::abs(value);
    }
    T& value = values[rng.below(values.size())];
    value = value == 0 ? T(1) : -value;
}

/// a + d and b - d, with d half of the lesser one: exact where they are alike.
template <typename T>
void changePairs(std::vector<T>& values, Rng& rng)
{
    for (std::uint64_t left = 1 + rng.below(8); left > 0; --left) {
        T& first = values[rng.below(values.size())];
        T& second = values[rng.below(values.size())];
        const T difference = T(0.5) * std::min(std::abs(first), std::abs(second));
        if (&first == &second || difference == 0 || !std::isfinite(first + difference) ||
            !std::isfinite(second - difference))
            continue;
        first += difference;
        second -= difference;
    }
}

/// Exchanges two different values of a row, or puts all of each row in another order.
template <typename T>
void changeWithinRows(const Csr& out, std::vector<T>& values, bool all, Rng& rng)
{
    std::vector<std::int32_t> rows; // With values that differ.
    for (std::int32_t row = 0; row < out.rows; ++row) {
        const auto from = values.begin() + out.rowPtr[static_cast<std::size_t>(row)];
        const auto to = from + out.rowLength(row);
        if (from != to && std::any_of(from, to, [&](T value) { return value != *from; }))
            rows.push_back(row);
    }
    if (rows.empty())
        return;
    const std::size_t one = rng.below(rows.size());
    for (std::size_t i = all ? 0 : one; i < (all ? rows.size() : one + 1); ++i) {
        const auto from = static_cast<std::size_t>(out.rowPtr[static_cast<std::size_t>(rows[i])]);
        const auto length = static_cast<std::uint64_t>(out.rowLength(rows[i]));
        for (std::uint64_t at = length - 1; all && at > 0; --at)
            std::swap(values[from + at], values[from + rng.below(at + 1)]);
        const std::size_t first = from + rng.below(length);
        std::size_t second = from + rng.below(length);
        while (!all && values[second] == values[first])
            second = second + 1 < from + length ? second + 1 : from;
        if (!all)
            std::swap(values[first], values[second]);
    }
}

template <typename T>
void change(std::vector<T>& values, const Csr& pattern, ValueChange what, Rng& rng)
{
    const std::size_t count = values.size();
    const std::size_t some = std::min<std::size_t>(count, 16);
    switch (what) {
    case ValueChange::Few:
        changeFew(values, rng);
        break;
    case ValueChange::One:
        changeRange(values, rng.below(count), count, count, rng);
        break;
    case ValueChange::Beginning:
        changeSome(values, 0, some, rng);
        break;
    case ValueChange::End:
        changeSome(values, count - 1, 1, rng);
        changeSome(values, count - some, some, rng);
        break;
    case ValueChange::Range: {
        const std::size_t from = rng.below(count);
        changeRange(values, from, std::min(count, from + 1 + rng.below(count / 4 + 1)), 1, rng);
        break;
    }
    case ValueChange::Even:
    case ValueChange::Odd:
        changeRange(values, what == ValueChange::Odd && count > 1 ? 1 : 0, count, 2, rng);
        break;
    case ValueChange::EveryKth: {
        const std::size_t k = 3 + rng.below(6);
        changeRange(values, rng.below(std::min(k, count)), count, k, rng);
        break;
    }
    case ValueChange::LongestRow:
        changeLongestRow(pattern, values, rng);
        break;
    case ValueChange::FirstsOfRows:
        changeFirsts(pattern, values, rng);
        break;
    case ValueChange::LowerHalves:
        changeBits(values, 1, sizeof(T) == 8 ? 0xffffffff : 0xffff, rng);
        break;
    case ValueChange::LastBits:
        changeBits(values, 4, 7, rng);
        break;
    case ValueChange::LastUnits:
        moveByUnits(values, pattern.rows, false, rng);
        break;
    case ValueChange::Signs:
        changeSigns(values, rng);
        break;
    case ValueChange::Sum:
        changePairs(values, rng);
        break;
    case ValueChange::Exchanged:
        rng.shuffle(values);
        break;
    case ValueChange::WithinRows:
    case ValueChange::WithinARow:
        changeWithinRows(pattern, values, what == ValueChange::WithinRows, rng);
        break;
    }
}

} // namespace

void moveByUnits(Csr& matrix, bool outwards, Rng& rng)
{
    visitValues(matrix, [&](auto& values) { moveByUnits(values, matrix.rows, outwards, rng); });
}

std::string_view nameOf(ValueChange change)
{
    constexpr std::array<std::string_view, valueChangeCount> names{
        "few",        "one",         "beginning",      "end",         "range",     "even",       "odd",
        "every k-th", "longest row", "firsts of rows", "low halves",  "last bits", "last units", "signs",
        "sum",        "exchanged",   "within rows",    "within a row"};
    return names[static_cast<std::size_t>(change)];
}

Csr withChangedValues(const Csr& matrix, ValueChange what, Rng& rng)
{
    Csr out = matrix;
    if (out.nnz() == 0)
        return out;
    visitValues(out, [&](auto& values) { change(values, matrix, what, rng); });
    if (out.val == matrix.val && out.val64 == matrix.val64) { // Changes that undid one another, or none.
        const auto count = static_cast<std::size_t>(out.nnz());
        visitValues(out, [&](auto& values) { changeRange(values, rng.below(count), count, count, rng); });
    }
    return out;
}

} // namespace sparserl
