// SPDX-License-Identifier: Apache-2.0
// Where the arrays of a plan have their values from. Host only: no GPU is needed.
#pragma once

#include "plan.h"

namespace sparserl_bundle {

/// An array of the plan that holds values of the matrix.
struct ValueMap
{
    std::size_t buffer = 0; ///< Index into BoundPlan::buffers.
    std::size_t count = 0;  ///< Its entries.
    /// Entry i is the value number source[i] - 1 of the CSR arrays; 0: padding, which is zero. Empty where
    /// the array is that of CSR itself, in its order.
    std::vector<std::uint32_t> source;
};

/// Finds the maps by converting the pattern once more, with the numbers of the entries for values: formats
/// only move values, so that what arrives says where it is from. `pattern` needs no values. Throws Failure as
/// bind_plan does.
std::vector<ValueMap> value_maps(const std::int64_t* words, std::size_t size, const Csr& pattern,
                                 std::int64_t dense_cols, std::int64_t sm_count);

} // namespace sparserl_bundle
