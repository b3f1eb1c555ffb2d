// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/gpu_info.h"

#include "device/cuda/gpu.h"
#include "machine/cuda_libraries.h"

#include <fmt/format.h>

namespace sparserl {

std::string GpuInfo::architecture() const
{
    return fmt::format("sm_{}{}", major, minor);
}

DeviceLimits GpuInfo::limits() const
{
    DeviceLimits limits;
    limits.maxSharedBytes = maxSharedPerBlock;
    limits.maxSharedOptinBytes = maxSharedOptinPerBlock;
    limits.smCount = smCount;
    return limits;
}

DeviceModel GpuInfo::model() const
{
    DeviceModel model;
    model.name = name;
    model.smCount = smCount;
    model.clockGHz = clockGHz;
    model.maxThreadsPerSm = maxThreadsPerSm;
    model.maxWarpsPerSm = maxThreadsPerSm / 32;
    model.maxBlocksPerSm = maxBlocksPerSm;
    model.registersPerSm = registersPerSm;
    model.sharedPerSm = sharedPerSm;
    model.maxSharedPerBlock = maxSharedOptinPerBlock;
    model.l2Bytes = l2Bytes;
    return model;
}

namespace cuda {

Result<GpuInfo> describeGpu(const Driver& driver, int ordinal)
{
    GpuInfo info;
    info.ordinal = ordinal;
    info.cudaVersion = driver.version;
    info.driver = nvidiaModuleVersion();
    if (info.driver.empty())
        info.driver = fmt::format("CUDA {}.{}", driver.version / 1000, driver.version % 1000 / 10);
    CUresult code = CUDA_SUCCESS;
    const auto keep = [&](CUresult result) {
        if (code == CUDA_SUCCESS)
            code = result;
    };
    CUdevice device = 0;
    keep(driver.deviceGet(&device, ordinal));
    char name[256] = {};
    keep(driver.deviceGetName(name, sizeof name, device));
    info.name = name;
    std::size_t memory = 0;
    keep(driver.deviceTotalMem(&memory, device));
    info.memoryBytes = static_cast<std::int64_t>(memory);
    const auto attribute = [&](CUdevice_attribute which) {
        int value = 0;
        keep(driver.deviceGetAttribute(&value, which, device));
        return value;
    };
    info.major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    info.minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    info.smCount = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    info.l2Bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    info.sharedPerSm = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    info.maxSharedPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    info.maxSharedOptinPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    info.registersPerSm = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    info.maxThreadsPerSm = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    info.maxBlocksPerSm = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    // Good to know, but a driver may keep them to itself.
    const auto optional = [&](CUdevice_attribute which) {
        int value = 0;
        return driver.deviceGetAttribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
    };
    info.clockGHz = optional(CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1e6;
    info.memoryClockGHz = optional(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1e6;
    info.memoryBusBits = optional(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    if (code != CUDA_SUCCESS)
        return fail(fmt::format("GPU {} does not say what it is: {}", ordinal, driver.describe(code)),
                    "see whether nvidia-smi shows it in good health");
    return info;
}

} // namespace cuda

Result<std::vector<GpuInfo>> listGpus(const std::filesystem::path& driverLibrary)
{
    SPARSERL_TRY(const auto driver, cuda::Driver::load(driverLibrary));
    int count = 0;
    if (const CUresult code = driver->deviceGetCount(&count); code != CUDA_SUCCESS)
        return fail("the NVIDIA driver does not say how many GPUs there are: " + driver->describe(code));
    if (count == 0)
        return fail(
            "the NVIDIA driver finds no GPU",
            "give this machine or container access to one (CUDA_VISIBLE_DEVICES?), or choose the device sim");
    std::vector<GpuInfo> gpus;
    for (int i = 0; i < count; ++i) {
        SPARSERL_TRY(auto info, cuda::describeGpu(*driver, i));
        gpus.push_back(std::move(info));
    }
    return gpus;
}

} // namespace sparserl
