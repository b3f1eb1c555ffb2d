// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/compute/compute.h"

namespace sparserl {

/// Makes results on the CPU repeatable: uses deterministic algorithms and a fixed number of threads (if
/// `threads` is 0, this process's part of the cores, which `localSize` processes on this machine share). On a
/// GPU, two runs differ by rounding, because fused attention is not deterministic there.
void computeRepeatably(int threads, int localSize, const Compute& compute);

} // namespace sparserl
