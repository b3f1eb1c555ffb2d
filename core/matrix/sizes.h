// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"
#include "target/workload.h"

namespace sparserl {

/// Returns the sizes that determine a matrix's workload, except `usedColumns`. Takes O(rows).
SparseSizes sizesOf(const Csr& matrix);
/// Returns all sizes. Takes O(entries).
SparseSizes allSizesOf(const Csr& matrix);

} // namespace sparserl
