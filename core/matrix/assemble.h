// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// Entries in any order, 0-based. An empty `value` means a pattern, which is assembled with values of 1.
struct Triplets
{
    std::vector<std::int32_t> row, col;
    std::vector<double> value;
};

/// Builds CSR from triplets: counts the rows, sorts columns stably, and sums duplicates in double precision
/// in input order. If floats cannot represent the sums, val64 keeps them. Indices must be in range and fewer
/// than 2^31. `duplicates` (may be null) receives the number of merged entries.
Csr assemble(std::int32_t rows, std::int32_t cols, Triplets&& triplets, std::int64_t* duplicates = nullptr);

} // namespace sparserl
