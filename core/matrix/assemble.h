// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// Entries of a matrix in any order, with 0-based indices. If `value` is empty, the entries are a pattern,
/// which is assembled with values of 1.
struct Triplets
{
    std::vector<std::int32_t> row, col;
    std::vector<double> value;
};

/// Builds CSR from triplets: counts the entries of each row, sorts columns stably, and sums duplicates in
/// double precision in input order. If floats cannot represent the sums, they are also kept in val64. Indices
/// must be in range, and there must be fewer than 2^31 triplets. `duplicates` receives the number of merged
/// entries; it may be null.
Csr assemble(std::int32_t rows, std::int32_t cols, Triplets&& triplets, std::int64_t* duplicates = nullptr);

} // namespace sparserl
