// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"

#include <cstdint>
#include <string_view>

namespace sparserl {

/// Differences between a matrix and a nearly equal one. A program may be specialized for a matrix's pattern
/// and shape, but not for its values (docs/kernel-programs.md). A program that inspects a few values mistakes
/// a matrix with other values changed for its own. A program that inspects most values misses a change in the
/// rest.
enum class ValueChange : std::uint8_t
{
    Few,          ///< Some at random places: exchanged with others of the matrix, or new.
    One,          ///< A single one.
    Beginning,    ///< Some of the first values.
    End,          ///< Some of the last values.
    Range,        ///< A contiguous range of up to a quarter of all.
    Even,         ///< All at even positions.
    Odd,          ///< All at odd positions.
    EveryKth,     ///< All at every third to eighth position.
    LongestRow,   ///< The values of the longest row.
    FirstsOfRows, ///< The first values of half of the rows.
    LowerHalves,  ///< The lower 16 bits of all values (32 bits of doubles).
    LastBits,     ///< All, by four to seven units in the last place.
    LastUnits,    ///< One in a hundred to all, by one unit in the last place.
    Signs,        ///< Signs of a few values; magnitudes stay.
    Sum,          ///< Pairs of values; the total sum stays.
    Exchanged,    ///< All in another order: the same numbers at other positions.
    WithinRows,   ///< A permutation within each row: each row keeps its set of values.
    WithinARow    ///< Two values of one row exchanged.
};
inline constexpr std::size_t valueChangeCount = 18;

std::string_view nameOf(ValueChange change);

/// Moves one in a hundred to all of the non-zero values to a neighbouring number of the type: enough that
/// inspecting one value per row finds some. `outwards`: always the neighbour of larger magnitude, otherwise
/// either.
void moveByUnits(Csr& matrix, bool outwards, Rng& rng);

/// The matrix with this change at secret positions. At least one value differs, if there are any.
Csr withChangedValues(const Csr& matrix, ValueChange change, Rng& rng);

} // namespace sparserl
