// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sparserl {

/// An order of rows or columns: `order[new position] = old index`.
using Order = std::vector<std::int32_t>;

/// Reverse Cuthill-McKee order (Cuthill and McKee 1969, George 1971) of a square matrix, on the pattern of A
/// + A^T: entries gather near the diagonal. Every component starts at a pseudo-peripheral vertex (George and
/// Liu 1979). A matrix that is not square keeps its order.
Order reverseCuthillMcKee(const Csr& matrix);

/// Rows by length, longest first, stable.
Order longestRowsFirst(const Csr& matrix);

/// The matrix with rows and columns in the given orders (empty: as they are). Each must be a permutation.
Csr reordered(const Csr& matrix, std::span<const std::int32_t> rows, std::span<const std::int32_t> columns);

} // namespace sparserl
