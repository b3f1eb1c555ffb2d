// SPDX-License-Identifier: Apache-2.0
#include "matrix/csr.h"

#include "base/hash.h"

namespace sparserl {

bool Csr::valid() const
{
    if (rows < 0 || cols < 0 || rowPtr.size() != static_cast<std::size_t>(rows) + 1 || rowPtr.front() != 0 ||
        rowPtr.back() != nnz() || col.size() != val.size()) {
        return false;
    }
    for (std::int32_t row = 0; row < rows; ++row) {
        if (rowPtr[row + 1] < rowPtr[row] || rowPtr[row + 1] > nnz()) {
            return false;
        }
        std::int32_t previous = -1;
        for (std::int32_t k = rowPtr[row]; k < rowPtr[row + 1]; ++k) {
            if (col[k] <= previous || col[k] >= cols) {
                return false;
            }
            previous = col[k];
        }
    }
    return true;
}

std::string digest(const Csr& matrix)
{
    Hasher hasher;
    hasher.update("sparserl-csr-1\n");
    hasher.updateValue(matrix.rows);
    hasher.updateValue(matrix.cols);
    hasher.updateValue(matrix.nnz());
    hasher.update(matrix.rowPtr.data(), matrix.rowPtr.size() * sizeof(std::int32_t));
    hasher.update(matrix.col.data(), matrix.col.size() * sizeof(std::int32_t));
    hasher.update(matrix.val.data(), matrix.val.size() * sizeof(float));
    return hasher.hex();
}

} // namespace sparserl
