// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/contents.h"
#include "target/target_id.h"

#include <memory>

namespace sparserl {

struct OperatorTask;

/// The target on which a program is judged.
struct Target
{
    TargetId id;
    std::shared_ptr<const Csr> matrix; ///< For kind Sparse. The digest in `id` identifies it.
    SparseSizes sizes = {};            ///< For a kind that has only sizes (matrix/contents.h).
    /// For kind Operator: its graphs and stored tensors (operator/import/operator_task.h).
    std::shared_ptr<const OperatorTask> operation = {};
};

/// The contents of a Sparse target, for code that computes with them: the matrix A and the variant.
struct SparseContents
{
    const Csr& matrix;
    TargetVariant variant;
};

} // namespace sparserl
