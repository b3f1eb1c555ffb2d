// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// Entries in any order, 0-based. `value` may be empty: a pattern, assembled with values 1.
struct Triplets
{
    std::vector<std::int32_t> row, col;
    std::vector<double> value;
};

/// CSR from triplets: rows by counting, columns sorted stably, duplicates summed in double precision in the
/// order they came; where floats cannot hold the sums, val64 keeps them. Indices must be in range and fewer
/// than 2^31. `duplicates` (may be null) counts entries that were merged.
Csr assemble(std::int32_t rows, std::int32_t cols, Triplets&& triplets, std::int64_t* duplicates = nullptr);

} // namespace sparserl
