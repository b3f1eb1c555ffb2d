// SPDX-License-Identifier: Apache-2.0
// Finds where the values in the arrays of a plan come from. Runs on the host and needs no GPU.
#pragma once

#include "plan.h"

namespace sparserl_bundle {

/// An array of the plan that holds matrix values.
struct ValueMap
{
    std::size_t buffer = 0; ///< Index into BoundPlan::buffers.
    std::size_t count = 0;  ///< Number of entries.
    /// Entry i of the array is value number source[i] - 1 of the CSR arrays, or padding with value 0 if
    /// source[i] is 0. Empty if the array has the CSR order.
    std::vector<std::uint32_t> source;
};

/// Finds the maps by converting the pattern again with entry numbers as values. Formats only move values, so
/// each value in the result names its origin. `pattern` needs no values. Throws Failure like bind_plan.
std::vector<ValueMap> value_maps(const std::int64_t* words, std::size_t size, const Csr& pattern,
                                 std::int64_t dense_cols, std::int64_t sm_count);

} // namespace sparserl_bundle
