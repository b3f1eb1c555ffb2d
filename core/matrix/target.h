// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/contents.h"
#include "target/target_id.h"

#include <memory>

namespace sparserl {

/// What a program is judged on.
struct Target
{
    TargetId id;
    std::shared_ptr<const Csr> matrix; ///< Contents of the kind Sparse; identified by the digest.
    SparseSizes sizes = {};            ///< Of a kind that has nothing else (matrix/contents.h).
};

/// Contents of the kind Sparse, for those who compute with them: A, and what is asked for.
struct SparseContents
{
    const Csr& matrix;
    TargetVariant variant;
};

} // namespace sparserl
