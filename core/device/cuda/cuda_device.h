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

/// A GPU through the driver API, loaded at run time. One object owns one context and is used by one thread.
/// What runs here has passed the gate and came out of nvJitLink; still, a kernel can leave the context with a
/// sticky error: then `poisoned()` is true, every further call is an Error, and the process has to be
/// replaced; let it end by _exit, as the driver's own exit handlers may wait for a kernel that never ends.
class CudaDevice : public Device
{
public:
    /// Fails with a sentence where there is no driver, no GPU, or one older than Ampere.
    /// `driverLibrary`: another file than the system's libcuda.so.1, for tests.
    static Result<std::unique_ptr<CudaDevice>> create(int ordinal = 0,
                                                      const std::filesystem::path& driverLibrary = {});
    ~CudaDevice() override;

    std::string name() const override; ///< "NVIDIA H200 (driver 580.159.04)"
    const GpuInfo& info() const;
    bool poisoned() const;

    /// One correctness run (docs/design.md 5): fresh module, fresh addresses, poisoned or zeroed buffers
    /// before every call, canaries around every buffer, read-only data checksummed. Needs `request.cubin`. Of
    /// the checks only bounds (canaries), overwritten inputs, launch failures and the watchdog exist on a
    /// GPU.
    Result<ExecutionResult> execute(const ExecutionRequest& request) override;

    /// Times a program (measurement.h).
    Result<Measurement> measure(const MeasureRequest& request);

    /// Times library routines on a matrix (baselines.h), best first.
    Result<std::vector<BaselineTiming>> measureBaselines(const Csr& matrix, std::int64_t denseColumns,
                                                         const BaselineOptions& options);

    /// Times a program against the routine that measureBaselines named, interleaved.
    Result<HeadToHead> headToHead(const MeasureRequest& request, const Csr& matrix, std::int64_t denseColumns,
                                  const BaselineTiming& against);

    /// What this device can do at best; measured at the first call (a fraction of a second), then kept.
    Result<DeviceCeilings> ceilings();
    /// A call that is one empty kernel: what no program can beat (docs/design.md 5.3).
    Result<double> emptyLaunchMicroseconds();

private:
    struct Impl;
    explicit CudaDevice(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace sparserl
