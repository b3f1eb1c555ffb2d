// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"

#include <cstdint>
#include <string_view>

namespace sparserl {

/// What differs between a matrix and one that is nearly it. A program may be for the pattern and shape of a
/// matrix, not for its values (docs/kernel-programs.md): one that looks at few of them takes a matrix with
/// any others changed for its own, one that looks at most of them where the change is what it left out.
enum class ValueChange : std::uint8_t
{
    Few,          ///< Some at random places: exchanged for others of the matrix, or new ones.
    One,          ///< A single one.
    Beginning,    ///< Some of the first ones.
    End,          ///< Some of the last ones.
    Range,        ///< Neighbours, up to a quarter of all.
    Even,         ///< All at even places.
    Odd,          ///< All at odd places.
    EveryKth,     ///< All at every third to eighth place.
    LongestRow,   ///< Those of the longest row.
    FirstsOfRows, ///< The first ones of half of the rows.
    LowerHalves,  ///< The lower 16 bits of all, or 32 of doubles.
    LastBits,     ///< All, by four to seven units in the last place.
    LastUnits,    ///< One in a hundred to all, by one unit in the last place.
    Signs,        ///< Signs of a few, so that sizes stay as they are.
    Sum,          ///< Pairs, so that the sum of all stays as it is.
    Exchanged,    ///< All in another order: the same numbers at other places.
    WithinRows,   ///< Those of each row in another order: what a row is made of stays as it is.
    WithinARow    ///< Two of one row exchanged.
};
inline constexpr std::size_t valueChangeCount = 18;

std::string_view nameOf(ValueChange change);

/// One in a hundred to all of the values, those that are zero excepted, become their neighbours among the
/// numbers of the type: enough of them for some to be seen where one value of each row is. `outwards`: the
/// larger neighbour in magnitude of each, else either one.
void moveByUnits(Csr& matrix, bool outwards, Rng& rng);

/// The matrix so changed, at places that nobody knows. Where it has values, at least one differs.
Csr withChangedValues(const Csr& matrix, ValueChange change, Rng& rng);

} // namespace sparserl
