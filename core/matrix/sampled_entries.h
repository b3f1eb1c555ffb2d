// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr_view.h"

#include <cstdint>
#include <vector>

namespace sparserl {

class Rng;

/// Draws the positions of `count` non-zeros, uniformly without replacement (Floyd's algorithm; SparseRL 3.2),
/// in ascending order. Returns all positions if there are at most `count` non-zeros.
std::vector<std::int64_t> sampleUniform(std::int64_t nnz, std::int64_t count, Rng& rng);

/// Chooses the positions of about `count` non-zeros in whole rows, in ascending order: those in the longest
/// row if row lengths vary widely, and those in a window of consecutive rows in each of up to 8 equal
/// stretches of the matrix. If a window does not use its quota, the next window gets the rest.
std::vector<std::int64_t> sampleWindows(const CsrView& matrix, std::int64_t count, Rng& rng);

/// Returns the row of the non-zero at a position.
std::int32_t rowOfEntry(const CsrView& matrix, std::int64_t position);

} // namespace sparserl
