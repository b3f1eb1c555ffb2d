// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/compute/gpu_sum.h"
#include "policy/compute/step_graph.h"

namespace sparserl {

/// Returns the number of GPUs that LibTorch can use. Programs are not linked to LibTorch's CUDA part
/// (libtorch_cuda.so). On a machine with a driver, the first call loads this part, which registers its
/// operations with the rest of LibTorch. Fails if there is no driver, no CUDA part, or no GPU.
Result<int> usableGpus();

/// Returns a recorder of CUDA graphs from the plug-in libsparserl_torch_cuda.so, which is in the folder of
/// the program or in lib or bin beside that folder. Returns null if the plug-in is missing or incompatible.
/// `why` (may be null) then receives the reason.
std::shared_ptr<GraphRecorder> graphRecorder(std::string* why = nullptr);

/// Returns a factory, from the same plug-in, for sums over the GPUs of several processes. Returns null and
/// sets `why` as graphRecorder() does.
std::shared_ptr<GpuSumMaker> gpuSumMaker(std::string* why = nullptr);

/// Returns whether this machine has an NVIDIA driver.
bool hasGpuDriver();

} // namespace sparserl
