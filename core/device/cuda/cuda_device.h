// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/baselines.h"
#include "device/cuda/gpu_info.h"
#include "device/cuda/measurement.h"
#include "device/device.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// A GPU that is used through the driver API, which is loaded at run time. One object owns one context, for
/// use in one thread. All code that runs here has passed the gate and comes from nvJitLink, but a kernel can
/// still leave a sticky error in the context. Then `poisoned()` is true, every further call is an Error, and
/// the process must be replaced. End it with _exit, because the driver's exit handlers may wait for a kernel
/// that never ends.
class CudaDevice : public Device
{
public:
    /// Opens a GPU. Fails if there is no driver, no GPU, or only a GPU older than Ampere. In tests,
    /// `driverLibrary` replaces the system's libcuda.so.1.
    static Result<std::unique_ptr<CudaDevice>> create(int ordinal = 0,
                                                      const std::filesystem::path& driverLibrary = {});
    ~CudaDevice() override;

    std::string name() const override; ///< "NVIDIA H200 (driver 580.159.04)"
    const GpuInfo& info() const;
    bool poisoned() const;

    /// Runs a program once to check its results (docs/design.md 5). Each run has a new module and new
    /// addresses, poisons or zeroes the buffers before every call, surrounds every buffer with canaries, and
    /// computes checksums of read-only data. Needs `request.cubin`. A GPU can detect only writes outside
    /// arrays (canaries), overwritten inputs, launch failures and kernels that do not end (watchdog).
    Result<ExecutionResult> execute(const ExecutionRequest& request) override;

    /// Times a program (measurement.h).
    Result<Measurement> measure(const MeasureRequest& request);

    /// Times library routines on a matrix (baselines.h) and returns them with the best one first.
    Result<std::vector<BaselineTiming>> measureBaselines(const Csr& matrix, std::int64_t denseColumns,
                                                         const BaselineOptions& options);

    /// Times a program in alternation with `against`, a routine that measureBaselines() returned.
    Result<HeadToHead> headToHead(const MeasureRequest& request, const Csr& matrix, std::int64_t denseColumns,
                                  const BaselineTiming& against);

    /// Returns the ceilings of this device. Only the first call measures them (a fraction of a second).
    Result<DeviceCeilings> ceilings();
    /// Returns the time of a call with one empty kernel, a lower bound for any program (docs/design.md 5.3).
    Result<double> emptyLaunchMicroseconds();

private:
    struct Impl;
    explicit CudaDevice(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace sparserl
