// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kernel/bind.h"
#include "machine/device_model.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// What a GPU reports about itself.
struct GpuInfo
{
    int ordinal = 0;
    std::string name;         ///< "NVIDIA H200"
    std::string driver;       ///< "580.159.04", or the CUDA version if the driver hides its own.
    int cudaVersion = 0;      ///< CUDA version of the driver: 13000 is 13.0.
    int major = 0, minor = 0; ///< Compute capability.
    int smCount = 0;
    std::int64_t memoryBytes = 0, l2Bytes = 0;
    std::int64_t sharedPerSm = 0, maxSharedPerBlock = 0, maxSharedOptinPerBlock = 0;
    std::int64_t registersPerSm = 0;
    int maxThreadsPerSm = 0, maxBlocksPerSm = 0;
    double clockGHz = 0, memoryClockGHz = 0;
    int memoryBusBits = 0;
    std::string architecture() const; ///< Returns the architecture's name for nvJitLink: "sm_90".
    DeviceLimits limits() const;
    DeviceModel model()
        const; ///< Returns a model with this GPU's limits and clock, and with default rates and latencies.
};

/// Lists the GPUs of this machine, including those older than Ampere, which CudaDevice::create refuses. Fails
/// with a remedy if there is no driver or no GPU, or if the driver is too old for CUDA 13. In tests,
/// `driverLibrary` replaces the system's libcuda.so.1.
Result<std::vector<GpuInfo>> listGpus(const std::filesystem::path& driverLibrary = {});

} // namespace sparserl
