// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace sparserl {

/// Calls `work(0)` ... `work(count - 1)` on up to `threads` threads (0: one per core), and returns after all
/// calls. If a call throws, skips those that have not started and rethrows the first exception.
void parallelFor(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

} // namespace sparserl
