// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/contents.h"
#include "target/target_id.h"

#include <memory>

namespace sparserl {

/// The target on which a program is judged.
struct Target
{
    TargetId id;
    std::shared_ptr<const Csr> matrix; ///< For kind Sparse. The digest in `id` identifies it.
    SparseSizes sizes = {};            ///< For a kind that has only sizes (matrix/contents.h).
};

/// The contents of a Sparse target, for code that computes with them: the matrix A and the variant.
struct SparseContents
{
    const Csr& matrix;
    TargetVariant variant;
};

} // namespace sparserl
