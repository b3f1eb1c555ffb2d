// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

#include <cstdint>
#include <span>

namespace sparserl {

/// A non-owning view of a matrix in memory or in a mapped file. Its members are as in Csr.
struct CsrView
{
    std::int32_t rows = 0, cols = 0;
    std::span<const std::int32_t> rowPtr, col;
    std::span<const float> val;

    CsrView() = default;
    CsrView(const Csr& matrix) // NOLINT(google-explicit-constructor): every Csr can be looked at
        : rows(matrix.rows)
        , cols(matrix.cols)
        , rowPtr(matrix.rowPtr)
        , col(matrix.col)
        , val(matrix.val)
    {
    }
    std::int64_t nnz() const { return static_cast<std::int64_t>(col.size()); }
    std::int32_t rowLength(std::int32_t row) const { return rowPtr[row + 1] - rowPtr[row]; }
};

} // namespace sparserl
