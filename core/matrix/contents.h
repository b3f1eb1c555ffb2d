// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/csr.h"
#include "target/workload.h"

#include <cstddef>
#include <memory>
#include <span>

namespace sparserl {

/// Contents of a target of any kind. Judge and runners pass them on as they are; what they are is known to
/// those who make cases of a kind and to those who bind plans to them.
struct Contents
{
    std::shared_ptr<const Csr> matrix; ///< Of the kind Sparse. nullptr: there is nothing but
    SparseSizes sizes = {};            ///< sizes, and everything else is an input of a call.
};

/// What a variant of the contents asks of a call; without what sizesOf() leaves out.
Workload workloadOf(const Contents& contents, const TargetVariant& variant);

/// Contents as bytes for another process: 1, rows, cols, nnz, bytes of a value (i64 each), row_ptr, col and
/// values of a matrix; or 0, rows, cols, nnz and 0. A multiple of 8.
std::size_t packedBytes(const Contents& contents);
/// Writes them to the beginning of `to`, which holds as many.
void packContents(const Contents& contents, std::span<std::byte> to);
/// The first contents there. Checks every invariant, as the bytes come from another process.
Result<Contents> unpackContents(std::span<const std::byte> from);

} // namespace sparserl
