// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/cuda_device.h"

#include <functional>
#include <memory>

namespace sparserl {

/// The GPU as the role cuda sees it. The implementation uses CudaDevice or, in tests, a substitute.
class RunnerGpu
{
public:
    virtual ~RunnerGpu() = default;
    virtual const GpuInfo& info() const = 0;
    virtual bool poisoned() const = 0;
    virtual Result<ExecutionResult> execute(const ExecutionRequest& request) = 0;
    virtual Result<Measurement> measure(const MeasureRequest& request) = 0;
    virtual Result<HeadToHead> headToHead(const MeasureRequest& request, const Csr& matrix,
                                          std::int64_t denseColumns, const BaselineTiming& against) = 0;
    virtual Result<std::vector<BaselineTiming>> measureBaselines(const Csr& matrix, std::int64_t denseColumns,
                                                                 const BaselineOptions& options) = 0;
};

using OpenGpu = std::function<Result<std::unique_ptr<RunnerGpu>>(int ordinal)>;

/// Opens the CudaDevice with this ordinal.
Result<std::unique_ptr<RunnerGpu>> openCudaGpu(int ordinal);

/// Tests all driver functions that programs need, on a small matrix: runs and times a kernel, compares its
/// result with the CPU's, and times one library routine.
class GpuSelfTest
{
public:
    /// Compiles the reference program for the GPU. The Error says what failed.
    static Result<GpuSelfTest> prepare(const GpuInfo& info);
    ~GpuSelfTest();
    GpuSelfTest(GpuSelfTest&&) noexcept;
    /// Runs the test. The Error says which step failed.
    Status run(RunnerGpu& gpu) const;

private:
    struct Impl;
    explicit GpuSelfTest(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace sparserl
