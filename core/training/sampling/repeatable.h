// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/compute/compute.h"

namespace sparserl {

/// Makes CPU results repeatable: a fixed number of threads (0: this process's part of the cores, shared by
/// `localSize` processes on this machine) and deterministic algorithms. On a GPU, two runs differ by
/// rounding, because its fused attention is not deterministic.
void computeRepeatably(int threads, int localSize, const Compute& compute);

} // namespace sparserl
