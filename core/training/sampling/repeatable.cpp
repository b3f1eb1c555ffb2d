// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/repeatable.h"

#include "policy/torch.h"
#include "training/work/process_place.h"

namespace sparserl {

void computeRepeatably(int threads, int localSize, const Compute& compute)
{
    torch::set_num_threads(threads > 0 ? threads : coresOf(localSize));
    at::globalContext().setDeterministicAlgorithms(compute.device.is_cpu(), /*warn_only=*/true);
    at::globalContext().setDeterministicFillUninitializedMemory(false);
}

} // namespace sparserl
