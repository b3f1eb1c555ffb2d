// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

#include <cstdint>

namespace sparserl {

/// A few rows of a target (the first, the last, the longest, the shortest and runs of others), with their
/// used columns in the original order. At most 64 rows and 2,048 entries, so every check in several schedules
/// is cheap. Entries keep their values.
Csr smallRelative(const Csr& target, std::uint64_t seed);

/// A relative that reveals what the small one cannot: rows too long for a block, results that cross block
/// borders, code that only runs above some size. Never equal to the target; entries keep their values. The
/// number of rows is odd half of the time, otherwise even or a multiple of a warp or block.
///
/// If the target is within the limits, the relative is the whole target with up to an eighth of its rows
/// removed or duplicated, so no size distinguishes the two. Otherwise it has three to seven thousand rows,
/// depending on the seed: the longest rows, in full if they fit half of `mostEntries`, after aligned runs of
/// 64 neighbouring rows. Columns are folded into at most 65,536 (or the length of the longest row). Diagonals
/// stay diagonals and blocks stay aligned, so formats that apply to the target apply here.
Csr largeRelative(const Csr& target, std::uint64_t seed, std::int64_t mostEntries);

/// Entries of the large relative that keep every check affordable with this number of dense columns.
std::int64_t largeRelativeEntries(std::int64_t denseColumns);

/// Number of distinct values of column - row over the entries.
std::int64_t diagonalCount(const Csr& matrix);

} // namespace sparserl
