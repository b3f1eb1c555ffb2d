// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace at {
class Tensor;
}

namespace sparserl {

/// Sums tensors over the GPUs of several processes, each of which calls it alike.
class GpuSum
{
public:
    virtual ~GpuSum() = default;
    /// In place; the same bits in all processes.
    virtual void sum(at::Tensor& tensor) = 0;
    /// Ends a sum that waits for a process that is gone, and all later ones: they throw. From any thread.
    virtual void abandon() = 0;
};

/// What the plug-in offers (cuda/gpu_sum.cpp): NCCL as libtorch_cuda has it.
class GpuSumMaker
{
public:
    virtual ~GpuSumMaker() = default;
    /// Bytes by which the processes find each other: one makes them, all get them.
    virtual std::string newId() = 0;
    /// Waits for all of them. Each has another GPU, `device`.
    virtual std::unique_ptr<GpuSum> join(const std::string& id, int rank, int size, int device) = 0;
};

/// The plug-in's entry; its name tells another version apart.
using MakeGpuSumMaker = GpuSumMaker* (*)();
inline constexpr const char* makeGpuSumMakerName = "sparserl_make_gpu_sum_maker_1";

} // namespace sparserl
