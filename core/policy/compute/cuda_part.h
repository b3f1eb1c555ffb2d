// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/compute/gpu_sum.h"
#include "policy/compute/step_graph.h"

namespace sparserl {

/// The number of GPUs that LibTorch can use. LibTorch's CUDA part (libtorch_cuda.so) is not a link
/// dependency. On a machine with a driver, the first call loads it, and it registers its operations with the
/// linked part. Fails if there is no driver, no CUDA part, or no GPU.
Result<int> usableGpus();

/// A recorder of CUDA graphs from the plug-in (libsparserl_torch_cuda.so beside the program, or in the
/// sibling folder lib or bin). null if the plug-in is missing or incompatible; `why` (may be null) then
/// receives the reason.
std::shared_ptr<GraphRecorder> graphRecorder(std::string* why = nullptr);

/// Factory for sums over the GPUs of several processes, from the same plug-in; null as above.
std::shared_ptr<GpuSumMaker> gpuSumMaker(std::string* why = nullptr);

/// Whether this machine has an NVIDIA driver.
bool hasGpuDriver();

} // namespace sparserl
