// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/csr.h"
#include "target/workload.h"

#include <cstddef>
#include <memory>
#include <span>

namespace sparserl {

/// The contents of a target of any kind. The judge and the runners pass them through. Only code that creates
/// cases or binds plans interprets them.
struct Contents
{
    std::shared_ptr<const Csr>
        matrix;             ///< The matrix, for kind Sparse; nullptr if the contents are only sizes.
    SparseSizes sizes = {}; ///< Sizes, if there is no matrix: all data are then inputs of a call.
};

/// The workload of a call for a variant of the contents, without the sizes that sizesOf() omits.
Workload workloadOf(const Contents& contents, const TargetVariant& variant);

/// The number of bytes of packed contents, for another process. A matrix is 1, rows, cols, nnz, bytes per
/// value (i64 each), then row_ptr, col and values. Other contents are 0, rows, cols, nnz and 0. A multiple of
/// 8.
std::size_t packedBytes(const Contents& contents);
/// Writes packed contents to the beginning of `to`, which must hold packedBytes().
void packContents(const Contents& contents, std::span<std::byte> to);
/// Reads the contents at the beginning of `from`. Checks every invariant, because the bytes come from another
/// process.
Result<Contents> unpackContents(std::span<const std::byte> from);

} // namespace sparserl
