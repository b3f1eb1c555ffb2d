// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace at {
class Tensor;
}

namespace sparserl {

/// Sums tensors over the GPUs of several processes. All processes must make the same calls.
class GpuSum
{
public:
    virtual ~GpuSum() = default;
    /// Sums in place. All processes get the same bits.
    virtual void sum(at::Tensor& tensor) = 0;
    /// Aborts a sum that waits for a terminated process, and all later sums: they throw. Callable from any
    /// thread.
    virtual void abandon() = 0;
};

/// The plug-in's interface (cuda/gpu_sum.cpp): NCCL as included in libtorch_cuda.
class GpuSumMaker
{
public:
    virtual ~GpuSumMaker() = default;
    /// A rendezvous id. One process creates it, and all processes receive it.
    virtual std::string newId() = 0;
    /// Waits for all processes. Each uses a different GPU, `device`.
    virtual std::unique_ptr<GpuSum> join(const std::string& id, int rank, int size, int device) = 0;
};

/// The plug-in's entry point. Its name identifies the version.
using MakeGpuSumMaker = GpuSumMaker* (*)();
inline constexpr const char* makeGpuSumMakerName = "sparserl_make_gpu_sum_maker_1";

} // namespace sparserl
