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

/// Non-zeros counted per cell of a grid over a range of a matrix; row-major, `height` x `width` cells.
struct DensityGrid
{
    std::int64_t rowBegin = 0, rowEnd = 0; ///< The range of the matrix that is shown.
    std::int64_t colBegin = 0, colEnd = 0;
    std::int32_t width = 0, height = 0;
    std::vector<std::uint32_t> counts;
    std::uint32_t most = 0; ///< Largest count.

    std::uint32_t at(std::int32_t y, std::int32_t x) const { return counts[std::size_t(y) * width + x]; }
    /// First matrix row of cell row y (y may be `height`: the end). Cells differ by at most one row.
    std::int64_t firstRow(std::int32_t y) const { return rowBegin + y * (rowEnd - rowBegin) / height; }
    std::int64_t firstCol(std::int32_t x) const { return colBegin + x * (colEnd - colBegin) / width; }
    /// Share of a cell's places that hold a non-zero, in [0, 1].
    double fill(std::int32_t y, std::int32_t x) const;
};

/// Counts the non-zeros of rows [rowBegin, rowEnd) and columns [colBegin, colEnd) (clamped to the matrix) in
/// at most height x width cells; a range with fewer rows than `height` gets one cell a row, so high zoom
/// shows exact entries. Cost: the rows of the range (a binary search each) plus the entries in it; only those
/// are read. What was cancelled is a grid of what had been counted.
DensityGrid densityTile(const CsrView& matrix, std::int64_t rowBegin, std::int64_t rowEnd,
                        std::int64_t colBegin, std::int64_t colEnd, std::int32_t width, std::int32_t height,
                        const CancelToken& cancel = {});

/// Whole-matrix grids from at most 1024 x 1024 cells down to at most 64 x 64, each half of the one before.
/// What a viewer needs before it has the matrix itself.
struct DensityPyramid
{
    std::int32_t rows = 0, cols = 0;
    std::vector<DensityGrid> levels; ///< Finest first; empty for a matrix without rows or columns.

    /// The finest level with at most `width` x `height` cells, so that no cell falls between pixels; else the
    /// coarsest; nullptr where there is none.
    const DensityGrid* levelFor(std::int32_t width, std::int32_t height) const;
};
DensityPyramid buildDensityPyramid(const CsrView& matrix, std::int32_t side = 1024);

/// Bytes for a file or a database, and back; damaged bytes are refused.
std::string serialize(const DensityPyramid& pyramid);
Result<DensityPyramid> parseDensityPyramid(std::string_view bytes);

/// One entry under a cursor: true and the value where (row, col) is stored.
bool findEntry(const CsrView& matrix, std::int64_t row, std::int64_t col, float& value);

} // namespace sparserl
