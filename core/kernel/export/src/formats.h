// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conversion_parts.h"

#include <memory>

namespace sparserl_bundle {

/// An array on the host. `owner` keeps it alive unless it belongs to the caller.
struct HostArray
{
    std::shared_ptr<const void> owner;
    const void* data = nullptr;
    std::size_t bytes = 0;
    bool values = false; ///< The array holds matrix values, possibly reordered and padded.
};

/// The arrays and counts of a storage format, in the order in which the plan numbers them.
struct Built
{
    std::vector<HostArray> arrays;
    std::vector<std::int64_t> counts;
};

/// The numbers of the storage formats in plans.
enum class Kind
{
    csr,
    coo,
    csc,
    ell,
    sell,
    hyb,
    dia,
    bsr,
    csr16,
    sell16,
    csr5,
    tiles,
    blocks,
    windows,
    panels,
    order,
    dense
};

/// Builds a format of the matrix, or of `part` if it is not null. Throws Failure(not_applicable) if the
/// format does not apply or needs more than `limit` bytes.
Built build_format(Kind kind, const std::vector<std::int64_t>& parameters, const Csr& matrix,
                   const Part* part, std::int64_t limit);

/// Returns the arrays row_ids, row_ptr, col and val of a part, and the counts rows and nnz.
Built arrays_of(const std::shared_ptr<const Part>& part);
/// Returns the arrays row_ptr, col and val of the caller's matrix, which must outlive the result.
Built arrays_of(const Csr& matrix);

} // namespace sparserl_bundle
