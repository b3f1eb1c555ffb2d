// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/compute/compute.h"

namespace sparserl {

/// Repeatable results on a CPU: one number of threads from now on (0: this process's part of the cores, of
/// which `localSize` processes share this machine's), deterministic algorithms only. On a GPU two runs differ
/// by roundings: its fused attention has no such algorithm.
void computeRepeatably(int threads, int localSize, const Compute& compute);

} // namespace sparserl
