// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"
#include "target/workload.h"

namespace sparserl {

/// The sizes that determine a matrix's workload, without `usedColumns`; O(rows).
SparseSizes sizesOf(const Csr& matrix);
/// All sizes; O(entries).
SparseSizes allSizesOf(const Csr& matrix);

} // namespace sparserl
