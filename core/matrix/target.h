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
    std::shared_ptr<const Csr> matrix; ///< For kind Sparse; identified by the digest.
    SparseSizes sizes = {};            ///< For a kind with sizes only (matrix/contents.h).
};

/// The contents of a Sparse target for code that computes with them: A and the variant.
struct SparseContents
{
    const Csr& matrix;
    TargetVariant variant;
};

} // namespace sparserl
