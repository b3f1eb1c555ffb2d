// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// A sparse matrix in compressed sparse row form. Columns ascend strictly in each row; every column is in
/// [0, cols); rowPtr has rows + 1 entries from 0 to nnz(). Values are single precision (docs/formats.md
/// 1).
struct Csr
{
    std::int32_t rows = 0;
    std::int32_t cols = 0;
    std::vector<std::int32_t> rowPtr = {0};
    std::vector<std::int32_t> col;
    std::vector<float> val;

    std::int64_t nnz() const { return static_cast<std::int64_t>(col.size()); }
    std::int32_t rowLength(std::int32_t row) const { return rowPtr[row + 1] - rowPtr[row]; }
    /// Bytes of row_ptr, col and val: the unit of the byte limits in docs/formats.md 1.
    std::int64_t bytes() const { return 4 * (std::int64_t(rows) + 1) + 8 * nnz(); }
    /// True if the invariants above hold.
    bool valid() const;
};

/// SHA-256 in hex over a header, dimensions, pattern and value bits: the identity of a matrix everywhere.
std::string digest(const Csr& matrix);

} // namespace sparserl
