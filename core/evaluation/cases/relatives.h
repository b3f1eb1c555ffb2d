// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

#include <cstdint>

namespace sparserl {

/// Returns a few rows of a target (the first, the last, the longest, the shortest and runs of others) with
/// the columns that they use, in the original order. Has at most 64 rows and 2,048 entries, so that runs with
/// every check and several schedules are cheap. Entries keep their values.
Csr smallRelative(const Csr& target, std::uint64_t seed);

/// Returns a relative that reveals errors which the small one cannot reveal: rows too long for a block,
/// results that cross block borders, code that runs only above some size. It never equals the target; entries
/// keep their values. Its number of rows is odd in half of the cases, otherwise even or a multiple of the
/// size of a warp or block.
///
/// If the target is within the limits, the relative is the whole target with up to an eighth of its rows
/// removed or duplicated, so that no program can distinguish the two by their sizes. Otherwise it has three
/// to seven thousand rows, depending on the seed: first aligned runs of 64 neighbouring rows, then the
/// longest rows, in full if they fit into half of `mostEntries`. Columns are folded into at most 65,536 (or
/// the length of the longest row). Diagonals stay diagonals and blocks stay aligned, so formats that apply to
/// the target apply here.
Csr largeRelative(const Csr& target, std::uint64_t seed, std::int64_t mostEntries);

/// Returns the number of entries of a large relative for which every check is affordable with this number of
/// dense columns.
std::int64_t largeRelativeEntries(std::int64_t denseColumns);

/// Returns the number of diagonals with entries: the distinct values of column - row.
std::int64_t diagonalCount(const Csr& matrix);

} // namespace sparserl
