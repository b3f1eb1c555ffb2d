// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/contents.h"
#include "target/target_id.h"

#include <memory>
#include <vector>

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
    /// For kind Operator: what programs must know at each size, the size of the target first
    /// (evaluation/cases/operator_target).
    std::vector<std::shared_ptr<const OperatorSignature>> signatures = {};
};

/// The contents of a Sparse target, for code that computes with them: the matrix A and the variant.
struct SparseContents
{
    const Csr& matrix;
    TargetVariant variant;
};

} // namespace sparserl
