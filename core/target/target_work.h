// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/target_id.h"

#include <cstdint>

namespace sparserl {

/// Floating-point operations of one call on a target whose matrix has `nnz` entries: a product and a sum for
/// each entry and column. They are what rates are quoted in, whatever a program does.
inline double flops(const TargetId& target, std::int64_t nnz)
{
    return 2.0 * static_cast<double>(nnz) * static_cast<double>(target.variant.columns);
}

/// 10^9 of these a second; 0 where there is no time.
inline double gflops(const TargetId& target, std::int64_t nnz, double microseconds)
{
    return microseconds > 0 ? 1e-3 * flops(target, nnz) / microseconds : 0;
}

} // namespace sparserl
