// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/types.h"

namespace sparserl::sim {

/// Returns the result of an atomic operation on `old` as bits of `type`. `other`: second source of cas.
std::uint64_t atomicResult(ptx::AtomOp op, ptx::Type type, std::uint64_t old, std::uint64_t value,
                           std::uint64_t other);

} // namespace sparserl::sim
