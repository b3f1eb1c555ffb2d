// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/value_changes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace sparserl {

namespace {

/// A value that differs, and is as likely to be found in the matrix.
float other(float value, Rng& rng)
{
    return value == 0 ? 1.0f : value * (rng.next() & 1 ? -1.0f : 0.5f);
}

/// Exchanged for other values of the matrix where they are `known` ones, so that their distribution stays.
void changeFew(Csr& out, Rng& rng)
{
    const auto count = static_cast<std::uint64_t>(out.nnz());
    const bool known = rng.next() & 1;
    for (std::uint64_t left = std::min(count, 4 + rng.below(12 + count / 1000)); left > 0; --left) {
        float& value = out.val[rng.below(count)];
        bool done = false;
        for (int tries = 0; known && !done && tries < 8; ++tries) {
            float& second = out.val[rng.below(count)];
            done = std::abs(second) != std::abs(value);
            if (done)
                std::swap(value, second);
        }
        if (!done)
            value = other(value, rng);
    }
}

void changeRange(Csr& out, std::size_t from, std::size_t to, std::size_t step, Rng& rng)
{
    for (std::size_t at = from; at < to; at += step)
        out.val[at] = other(out.val[at], rng);
}

/// One to eight of so many neighbours.
void changeSome(Csr& out, std::size_t from, std::size_t count, Rng& rng)
{
    out.val[from] = other(out.val[from], rng);
    for (std::uint64_t left = rng.below(8); left > 0; --left) {
        float& value = out.val[from + rng.below(count)];
        value = other(value, rng);
    }
}

void changeLongestRow(Csr& out, Rng& rng)
{
    std::int32_t longest = 0;
    for (std::int32_t row = 1; row < out.rows; ++row)
        if (out.rowLength(row) > out.rowLength(longest))
            longest = row;
    const auto from = static_cast<std::size_t>(out.rowPtr[static_cast<std::size_t>(longest)]);
    changeRange(out, from, from + static_cast<std::size_t>(out.rowLength(longest)), 1, rng);
}

void changeFirsts(Csr& out, Rng& rng)
{
    bool any = false;
    for (std::int32_t row = 0; row < out.rows; ++row)
        if (out.rowLength(row) > 0 && (!any || rng.next() & 1)) {
            float& value = out.val[static_cast<std::size_t>(out.rowPtr[static_cast<std::size_t>(row)])];
            value = other(value, rng);
            any = true;
        }
}

/// Bits between `lowest` and `highest`, both included, of the words of all values.
void changeBits(Csr& out, std::uint64_t lowest, std::uint64_t highest, Rng& rng)
{
    for (float& value : out.val)
        value = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^
                                     static_cast<std::uint32_t>(lowest + rng.below(highest - lowest + 1)));
}

void changeSigns(Csr& out, Rng& rng)
{
    for (std::uint64_t left = 1 + rng.below(8); left > 0; --left) {
        float& value = out.val[rng.below(out.val.size())];
        value = value == 0 ? 1.0f : -std::abs(value);
    }
    float& value = out.val[rng.below(out.val.size())];
    value = value == 0 ? 1.0f : -value;
}

/// a + d and b - d, with d half of the lesser one: exact where they are alike.
void changePairs(Csr& out, Rng& rng)
{
    for (std::uint64_t left = 1 + rng.below(8); left > 0; --left) {
        float& first = out.val[rng.below(out.val.size())];
        float& second = out.val[rng.below(out.val.size())];
        const float difference = 0.5f * std::min(std::abs(first), std::abs(second));
        if (&first == &second || difference == 0 || !std::isfinite(first + difference) ||
            !std::isfinite(second - difference))
            continue;
        first += difference;
        second -= difference;
    }
}

/// Exchanges two different values of a row, or puts all of each row in another order.
void changeWithinRows(Csr& out, bool all, Rng& rng)
{
    std::vector<std::int32_t> rows; // With values that differ.
    for (std::int32_t row = 0; row < out.rows; ++row) {
        const auto from = out.val.begin() + out.rowPtr[static_cast<std::size_t>(row)];
        const auto to = from + out.rowLength(row);
        if (from != to && std::any_of(from, to, [&](float value) { return value != *from; }))
            rows.push_back(row);
    }
    if (rows.empty())
        return;
    const std::size_t one = rng.below(rows.size());
    for (std::size_t i = all ? 0 : one; i < (all ? rows.size() : one + 1); ++i) {
        const auto from = static_cast<std::size_t>(out.rowPtr[static_cast<std::size_t>(rows[i])]);
        const auto length = static_cast<std::uint64_t>(out.rowLength(rows[i]));
        for (std::uint64_t at = length - 1; all && at > 0; --at)
            std::swap(out.val[from + at], out.val[from + rng.below(at + 1)]);
        const std::size_t first = from + rng.below(length);
        std::size_t second = from + rng.below(length);
        while (!all && out.val[second] == out.val[first])
            second = second + 1 < from + length ? second + 1 : from;
        if (!all)
            std::swap(out.val[first], out.val[second]);
    }
}

} // namespace

std::string_view nameOf(ValueChange change)
{
    constexpr std::array<std::string_view, valueChangeCount> names{
        "few",        "one",         "beginning",      "end",        "range",     "even",  "odd",
        "every k-th", "longest row", "firsts of rows", "low halves", "last bits", "signs", "sum",
        "exchanged",  "within rows", "within a row"};
    return names[static_cast<std::size_t>(change)];
}

Csr withChangedValues(const Csr& matrix, ValueChange change, Rng& rng)
{
    Csr out = matrix;
    const std::size_t count = out.val.size();
    if (count == 0)
        return out;
    const std::size_t some = std::min<std::size_t>(count, 16);
    switch (change) {
    case ValueChange::Few:
        changeFew(out, rng);
        break;
    case ValueChange::One:
        changeRange(out, rng.below(count), count, count, rng);
        break;
    case ValueChange::Beginning:
        changeSome(out, 0, some, rng);
        break;
    case ValueChange::End:
        changeSome(out, count - 1, 1, rng);
        changeSome(out, count - some, some, rng);
        break;
    case ValueChange::Range: {
        const std::size_t from = rng.below(count);
        changeRange(out, from, std::min(count, from + 1 + rng.below(count / 4 + 1)), 1, rng);
        break;
    }
    case ValueChange::Even:
    case ValueChange::Odd:
        changeRange(out, change == ValueChange::Odd && count > 1 ? 1 : 0, count, 2, rng);
        break;
    case ValueChange::EveryKth: {
        const std::size_t k = 3 + rng.below(6);
        changeRange(out, rng.below(std::min(k, count)), count, k, rng);
        break;
    }
    case ValueChange::LongestRow:
        changeLongestRow(out, rng);
        break;
    case ValueChange::FirstsOfRows:
        changeFirsts(out, rng);
        break;
    case ValueChange::LowerHalves:
        changeBits(out, 1, 0xffff, rng);
        break;
    case ValueChange::LastBits:
        changeBits(out, 4, 7, rng);
        break;
    case ValueChange::Signs:
        changeSigns(out, rng);
        break;
    case ValueChange::Sum:
        changePairs(out, rng);
        break;
    case ValueChange::Exchanged:
        rng.shuffle(out.val);
        break;
    case ValueChange::WithinRows:
    case ValueChange::WithinARow:
        changeWithinRows(out, change == ValueChange::WithinRows, rng);
        break;
    }
    if (out.val == matrix.val) // Changes that undid one another, or nothing to change so.
        changeRange(out, rng.below(count), count, count, rng);
    return out;
}

} // namespace sparserl
