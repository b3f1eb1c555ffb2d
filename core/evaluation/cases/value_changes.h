// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"

#include <cstdint>
#include <string_view>

namespace sparserl {

/// Differences between a matrix and another one that is nearly equal. A program may be specialised for a
/// matrix's pattern and shape, but not for its values (docs/kernel-programs.md). A program that inspects only
/// a few values does not notice changes of other values. A program that inspects most values does not notice
/// a change in the rest.
enum class ValueChange : std::uint8_t
{
    Few,          ///< Some values at random places: exchanged with other values of the matrix, or new.
    One,          ///< A single value.
    Beginning,    ///< Some of the first values.
    End,          ///< Some of the last values.
    Range,        ///< A contiguous range of up to a quarter of all values.
    Even,         ///< All values at even positions.
    Odd,          ///< All values at odd positions.
    EveryKth,     ///< Every k-th value, for a k from 3 to 8.
    LongestRow,   ///< The values of the longest row.
    FirstsOfRows, ///< The first values of half of the rows.
    LowerHalves,  ///< The lower 16 bits of all values (32 bits of doubles).
    LastBits,     ///< All values, by four to seven units in the last place.
    LastUnits,    ///< A share of the values (1 % to 100 %), by one unit in the last place.
    Signs,        ///< The signs of a few values; magnitudes stay.
    Sum,          ///< Pairs of values change; the total sum stays.
    Exchanged,    ///< All values in another order.
    WithinRows,   ///< Values are permuted within each row, which keeps its set of values.
    WithinARow    ///< Two values of one row are exchanged.
};
inline constexpr std::size_t valueChangeCount = 18;

std::string_view nameOf(ValueChange change);

/// Changes a random share (1 % to 100 %) of the non-zero values to a neighbouring number of the type. The
/// share is so large that inspecting one value per row finds some. With `outwards`, takes the neighbour with
/// the larger magnitude, otherwise either neighbour.
void moveByUnits(Csr& matrix, bool outwards, Rng& rng);

/// Returns the matrix with this change at secret positions. If there are values, at least one differs.
Csr withChangedValues(const Csr& matrix, ValueChange change, Rng& rng);

} // namespace sparserl
