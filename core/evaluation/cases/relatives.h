// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

#include <cstdint>

namespace sparserl {

/// Some rows of a target (the first, the last, the longest, the shortest and runs of others), with the
/// columns they use kept in order; at most 64 rows and 2,048 entries, so that every check in several
/// schedules is cheap. Entries keep their values.
Csr smallRelative(const Csr& target, std::uint64_t seed);

/// What the small one cannot show: rows too long for a block, results that cross borders of blocks, code that
/// only runs above some size. Never equal to the target; entries keep their values. The number of rows is odd
/// half of the time, else even or a multiple of a warp or block.
///
/// Of a target within the limits it is the whole with up to an eighth of its rows taken away or doubled, so
/// that no number tells the two apart. Of a larger one it has three to seven thousand rows, as the seed
/// wants: the longest rows, whole where half of `mostEntries` holds them, behind aligned runs of 64
/// neighbours. Columns are folded into at most 65,536 (or what the longest row needs), diagonals stay
/// diagonals and blocks stay aligned: formats that apply to the target apply here.
Csr largeRelative(const Csr& target, std::uint64_t seed, std::int64_t mostEntries);

/// Entries of the large relative for which every check is affordable with so many dense columns.
std::int64_t largeRelativeEntries(std::int64_t denseColumns);

/// Distinct values of column - row over the entries.
std::int64_t diagonalCount(const Csr& matrix);

} // namespace sparserl
