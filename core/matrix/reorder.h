// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "matrix/csr_view.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sparserl {

/// An order of rows or columns: `order[new position] = old index`.
using Order = std::vector<std::int32_t>;

/// Returns the reverse Cuthill-McKee order (Cuthill and McKee 1969, George 1971) of a square matrix, for the
/// pattern of A + A^T. The order gathers entries near the diagonal. Every component starts at a
/// pseudo-peripheral vertex (George and Liu 1979). If the matrix is not square or the search is cancelled,
/// rows keep their order.
Order reverseCuthillMcKee(const CsrView& matrix, const CancelToken& cancel = {});

/// Returns the rows in order of their lengths, longest first. Rows of equal length keep their order.
Order longestRowsFirst(const CsrView& matrix);

/// Orders of a whole matrix, for display or for the policy's input (SparseRL A.22).
enum class MatrixOrder
{
    AsIs,
    LongestFirst, ///< Longest rows first; columns keep their order.
    CuthillMcKee, ///< Reverse Cuthill-McKee order of the rows and columns of a square matrix.
    Shuffled      ///< Rows and columns in random order.
};
std::string_view nameOf(MatrixOrder order); ///< "as-is", "longest-first", "cuthill-mckee", "shuffled"
std::optional<MatrixOrder> matrixOrderFromName(std::string_view name);

/// New orders of rows and columns. An empty order means no change.
struct RowsAndColumns
{
    Order rows, columns;
};
/// Returns the orders of rows and columns for a MatrixOrder. `seed` matters only for `Shuffled`. With
/// `CuthillMcKee`, a matrix that is not square keeps its order.
RowsAndColumns ordersFor(const CsrView& matrix, MatrixOrder order, std::uint64_t seed,
                         const CancelToken& cancel = {});

/// Returns the matrix with its rows and columns in the given orders (empty: unchanged). Each order must be a
/// permutation.
Csr reordered(const CsrView& matrix, std::span<const std::int32_t> rows,
              std::span<const std::int32_t> columns);
/// Returns the matrix in the given order.
Csr inOrder(const Csr& matrix, MatrixOrder order, std::uint64_t seed);

/// A reordered matrix, and the original positions of its rows and columns.
struct ReorderedMatrix : RowsAndColumns
{
    Csr matrix;
};
/// Reorders a matrix. Fails if the order does not exist (Cuthill-McKee needs a square matrix), if the matrix
/// is too large (mostReordered), or on cancellation.
Result<ReorderedMatrix> reorder(const CsrView& matrix, MatrixOrder by, const CancelToken& cancel = {});
inline constexpr std::int64_t mostReordered =
    40'000'000; ///< Limit on non-zeros, which then need about a gigabyte of work space.

} // namespace sparserl
