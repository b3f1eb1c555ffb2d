// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr_view.h"

#include <cstdint>
#include <vector>

namespace sparserl {

class Rng;

/// Positions of `count` non-zeros, uniform without replacement, ascending (Floyd's algorithm). All positions
/// if there are no more (SparseRL 3.2).
std::vector<std::int64_t> sampleUniform(std::int64_t nnz, std::int64_t count, Rng& rng);

/// Positions of about `count` non-zeros in whole rows, ascending: the longest row if row lengths vary widely,
/// and a window of consecutive rows in each of up to 8 equal stretches of the matrix. A window's unused quota
/// passes to the next window.
std::vector<std::int64_t> sampleWindows(const CsrView& matrix, std::int64_t count, Rng& rng);

/// The row of the non-zero at a position.
std::int32_t rowOfEntry(const CsrView& matrix, std::int64_t position);

} // namespace sparserl
