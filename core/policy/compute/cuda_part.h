// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/compute/gpu_sum.h"
#include "policy/compute/step_graph.h"

namespace sparserl {

/// How many GPUs LibTorch can use. Its CUDA part (libtorch_cuda.so) is no dependency of ours: it is opened
/// here, once, where a driver is, and registers its operations with the part that is linked. Fails with a
/// sentence where there is no driver, no CUDA part, or no GPU.
Result<int> usableGpus();

/// A recorder of CUDA graphs from the plug-in (libsparserl_torch_cuda.so beside the program, or in lib or bin
/// beside its folder); null where it is not there or does not fit, and then `why` (may be null) is a
/// sentence.
std::shared_ptr<GraphRecorder> graphRecorder(std::string* why = nullptr);

/// What sums over the GPUs of several processes, from the same plug-in; null as above.
std::shared_ptr<GpuSumMaker> gpuSumMaker(std::string* why = nullptr);

/// Whether this machine has a driver of NVIDIA's.
bool hasGpuDriver();

} // namespace sparserl
