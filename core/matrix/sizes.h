// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"
#include "target/workload.h"

namespace sparserl {

/// What the workload of a matrix follows from, without `usedColumns`; O(rows).
SparseSizes sizesOf(const Csr& matrix);
/// All of it; O(entries).
SparseSizes allSizesOf(const Csr& matrix);

} // namespace sparserl
