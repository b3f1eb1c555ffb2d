// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace at {
class Tensor;
}

namespace sparserl {

/// Sums tensors over the GPUs of several processes. All processes must make the same calls in the same order.
class GpuSum
{
public:
    virtual ~GpuSum() = default;
    /// Replaces the tensor with its sum over all processes. All processes get the same bits.
    virtual void sum(at::Tensor& tensor) = 0;
    /// Aborts a call of sum() that waits for other processes: it and all later calls throw. Call abandon()
    /// when one of the processes has ended. May be called from any thread.
    virtual void abandon() = 0;
};

/// The interface of the plug-in (cuda/gpu_sum.cpp) to NCCL, which libtorch_cuda includes.
class GpuSumMaker
{
public:
    virtual ~GpuSumMaker() = default;
    /// Creates the id by which processes find each other. One process creates it and passes it to the others.
    virtual std::string newId() = 0;
    /// Waits until all `size` processes have called it. Each process must use a different GPU, `device`.
    virtual std::unique_ptr<GpuSum> join(const std::string& id, int rank, int size, int device) = 0;
};

/// The entry point of the plug-in. Its name contains the version of the interface.
using MakeGpuSumMaker = GpuSumMaker* (*)();
inline constexpr const char* makeGpuSumMakerName = "sparserl_make_gpu_sum_maker_1";

} // namespace sparserl
