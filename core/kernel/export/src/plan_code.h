// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl_bundle {

/// The meanings of the numbers in a plan. data.cpp was written with the same values.
namespace code {
enum Op : std::int64_t
{
    literal,
    scalar,
    constant,
    count,
    part_count,
    add,
    sub,
    mul,
    div,
    mod,
    neg,
    min,
    max,
    ceil_div,
    pow2_ceil
};
enum Comparison : std::int64_t
{
    equal,
    not_equal,
    less,
    less_or_equal,
    greater,
    greater_or_equal
};
enum Scalar : std::int64_t
{
    rows,
    cols,
    nnz,
    max_length,
    mean_length,
    sm_count,
    dense_cols,
    scalars
};
enum Argument : std::int64_t
{
    number,
    input,
    output,
    buffer,
    csr_array,
    part_array,
    format_array,
    alpha,
    beta
};
} // namespace code

} // namespace sparserl_bundle
