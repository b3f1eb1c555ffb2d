// SPDX-License-Identifier: Apache-2.0
#include "matrix/sizes.h"

#include <algorithm>
#include <vector>

namespace sparserl {

SparseSizes sizesOf(const Csr& matrix)
{
    SparseSizes sizes{matrix.rows, matrix.cols, matrix.nnz()};
    for (std::int32_t row = 0; row < matrix.rows; ++row)
        sizes.longestRow = std::max<std::int64_t>(sizes.longestRow, matrix.rowLength(row));
    return sizes;
}

SparseSizes allSizesOf(const Csr& matrix)
{
    SparseSizes sizes = sizesOf(matrix);
    std::vector<bool> used(static_cast<std::size_t>(matrix.cols));
    for (const std::int32_t column : matrix.col)
        used[static_cast<std::size_t>(column)] = true;
    sizes.usedColumns = std::count(used.begin(), used.end(), true);
    return sizes;
}

} // namespace sparserl
