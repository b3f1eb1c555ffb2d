// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/csr.h"
#include "target/operator_signature.h"
#include "target/workload.h"

#include <cstddef>
#include <memory>
#include <span>

namespace sparserl {

/// The contents of a target of any kind. The judge and the runners pass contents on; only code that creates
/// cases or binds plans interprets them.
struct Contents
{
    std::shared_ptr<const Csr> matrix; ///< For kind Sparse. If nullptr, the contents are only sizes.
    SparseSizes sizes = {};            ///< Set if there is no matrix. All data are then inputs of a call.
    /// For kind Operator. All tensors are then inputs or outputs of a call.
    std::shared_ptr<const OperatorSignature> signature = {};
};

/// Returns the workload of a call for a variant of the contents. It does not have the sizes that sizesOf()
/// omits.
Workload workloadOf(const Contents& contents, const TargetVariant& variant);

/// Returns the number of bytes of packed contents, a multiple of 8. Packed contents are passed to another
/// process. A packed matrix consists of 1, rows, cols, nnz and the bytes per value (i64 each), then row_ptr,
/// col and the values. A signature consists of 2, 0, 0, the length of its text and 0, then the text
/// (formatSignature()). Other contents consist of 0, rows, cols, nnz and 0.
std::size_t packedBytes(const Contents& contents);
/// Writes packed contents to the beginning of `to`, which must have at least packedBytes() bytes.
void packContents(const Contents& contents, std::span<std::byte> to);
/// Reads packed contents from the beginning of `from`. Checks every invariant, because the bytes come from
/// another process.
Result<Contents> unpackContents(std::span<const std::byte> from);

} // namespace sparserl
