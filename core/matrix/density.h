// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "matrix/csr_view.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The number of non-zeros in each cell of a grid that covers a range of a matrix. The grid is row-major and
/// has `height` x `width` cells.
struct DensityGrid
{
    std::int64_t rowBegin = 0, rowEnd = 0; ///< The range of the matrix that the grid shows.
    std::int64_t colBegin = 0, colEnd = 0;
    std::int32_t width = 0, height = 0;
    std::vector<std::uint32_t> counts;
    std::uint32_t most = 0; ///< Largest count of a cell.

    std::uint32_t at(std::int32_t y, std::int32_t x) const { return counts[std::size_t(y) * width + x]; }
    /// Returns the first matrix row of the cells in grid row y; `height` yields the end. Cell heights differ
    /// by at most one row.
    std::int64_t firstRow(std::int32_t y) const { return rowBegin + y * (rowEnd - rowBegin) / height; }
    std::int64_t firstCol(std::int32_t x) const { return colBegin + x * (colEnd - colBegin) / width; }
    /// Returns the fraction of a cell's positions that hold a non-zero, in [0, 1].
    double fill(std::int32_t y, std::int32_t x) const;
};

/// Counts the non-zeros of rows [rowBegin, rowEnd) and columns [colBegin, colEnd), clamped to the matrix, in
/// at most height x width cells. If the range has fewer rows than `height`, each row has its own cells, so a
/// high zoom shows exact entries. The cost is one binary search per row of the range, plus the entries of the
/// range; nothing else is read. After cancellation, returns the counts so far.
DensityGrid densityTile(const CsrView& matrix, std::int64_t rowBegin, std::int64_t rowEnd,
                        std::int64_t colBegin, std::int64_t colEnd, std::int32_t width, std::int32_t height,
                        const CancelToken& cancel = {});

/// Grids of the whole matrix, from at most 1024 x 1024 cells down to at most 64 x 64. Each has half the
/// height and width of the grid before it. A viewer shows them before the matrix is loaded.
struct DensityPyramid
{
    std::int32_t rows = 0, cols = 0;
    std::vector<DensityGrid>
        levels; ///< The finest grid comes first. Empty for a matrix without rows or columns.

    /// Returns the finest level with at most `width` x `height` cells, so that every cell covers at least one
    /// pixel. If there is none, returns the coarsest level, or nullptr for an empty pyramid.
    const DensityGrid* levelFor(std::int32_t width, std::int32_t height) const;
};
DensityPyramid buildDensityPyramid(const CsrView& matrix, std::int32_t side = 1024);

/// Converts a pyramid to bytes for a file or database. parseDensityPyramid() converts back, and fails for
/// damaged bytes.
std::string serialize(const DensityPyramid& pyramid);
Result<DensityPyramid> parseDensityPyramid(std::string_view bytes);

/// Looks up the entry under a cursor. If the matrix has an entry at (row, col), returns true and sets
/// `value`.
bool findEntry(const CsrView& matrix, std::int64_t row, std::int64_t col, float& value);

} // namespace sparserl
