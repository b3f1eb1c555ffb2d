// SPDX-License-Identifier: Apache-2.0
#include "machine/gpu_readings.h"

#include "machine/cuda_libraries.h"

#include <dlfcn.h>
#include <string>

namespace sparserl {

namespace {

// What is used of NVML, as its reference manual describes the interface.
using NvmlDevice = void*;
using NvmlReturn = int;
constexpr NvmlReturn nvmlSuccess = 0;
constexpr int temperatureOfGpu = 0; ///< NVML_TEMPERATURE_GPU
constexpr int clockOfSm = 1;        ///< NVML_CLOCK_SM

struct NvmlUtilization
{
    unsigned gpu = 0, memory = 0; ///< Percent.
};

struct NvmlMemory
{
    unsigned long long total = 0, free = 0, used = 0; ///< Bytes.
};

} // namespace

struct GpuReadings::Library
{
    OpenedLibrary file;
    NvmlReturn (*shutdown)() = nullptr;
    NvmlReturn (*utilisation)(NvmlDevice, NvmlUtilization*) = nullptr;
    NvmlReturn (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
    NvmlReturn (*power)(NvmlDevice, unsigned*) = nullptr;
    NvmlReturn (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
    NvmlReturn (*clock)(NvmlDevice, int, unsigned*) = nullptr;
    std::vector<NvmlDevice> devices; ///< Null: one that cannot be reached.

    Library() = default;
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library()
    {
        if (shutdown)
            shutdown();
    }
};

GpuReadings::GpuReadings(std::unique_ptr<Library> library)
    : m_library(std::move(library))
{
}

GpuReadings::~GpuReadings() = default;
GpuReadings::GpuReadings(GpuReadings&&) noexcept = default;
GpuReadings& GpuReadings::operator=(GpuReadings&&) noexcept = default;

Result<GpuReadings> GpuReadings::open(const std::filesystem::path& library)
{
    const std::string name = library.empty() ? "libnvidia-ml.so.1" : library.string();
    auto opened = std::make_unique<Library>();
    opened->file.path = name;
    opened->file.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!opened->file.handle)
        return fail("no NVIDIA driver was found (" + name + ")",
                    "There is nothing to do on a machine without an NVIDIA GPU");
    const OpenedLibrary& file = opened->file;
    NvmlReturn (*init)() = nullptr;
    NvmlReturn (*shutdown)() = nullptr;
    NvmlReturn (*count)(unsigned*) = nullptr;
    NvmlReturn (*handleOf)(unsigned, NvmlDevice*) = nullptr;
    if (!file.bind(init, "nvmlInit_v2") || !file.bind(shutdown, "nvmlShutdown") ||
        !file.bind(count, "nvmlDeviceGetCount_v2") || !file.bind(handleOf, "nvmlDeviceGetHandleByIndex_v2"))
        return fail(name + " is not NVIDIA's management library, or too old", "Update the NVIDIA driver");
    // Without one of these a machine has the other figures.
    file.bind(opened->utilisation, "nvmlDeviceGetUtilizationRates");
    file.bind(opened->memory, "nvmlDeviceGetMemoryInfo");
    file.bind(opened->power, "nvmlDeviceGetPowerUsage");
    file.bind(opened->temperature, "nvmlDeviceGetTemperature");
    file.bind(opened->clock, "nvmlDeviceGetClockInfo");
    if (const NvmlReturn code = init(); code != nvmlSuccess)
        return fail("NVIDIA's management library does not start (error " + std::to_string(code) + ")",
                    "See what nvidia-smi says");
    opened->shutdown = shutdown;
    unsigned devices = 0;
    if (const NvmlReturn code = count(&devices); code != nvmlSuccess)
        return fail("NVIDIA's management library lists no GPUs (error " + std::to_string(code) + ")",
                    "See what nvidia-smi says");
    for (unsigned i = 0; i < devices; ++i) {
        NvmlDevice device = nullptr;
        if (handleOf(i, &device) != nvmlSuccess)
            device = nullptr;
        opened->devices.push_back(device);
    }
    return GpuReadings(std::move(opened));
}

std::vector<GpuReading> GpuReadings::read() const
{
    const Library& nvml = *m_library;
    std::vector<GpuReading> readings;
    for (NvmlDevice device : nvml.devices) {
        GpuReading& gpu = readings.emplace_back();
        if (!device)
            continue;
        if (NvmlUtilization rates; nvml.utilisation && nvml.utilisation(device, &rates) == nvmlSuccess)
            gpu.utilisation = rates.gpu;
        if (NvmlMemory memory; nvml.memory && nvml.memory(device, &memory) == nvmlSuccess) {
            gpu.memoryUsed = static_cast<double>(memory.used);
            gpu.memoryTotal = static_cast<double>(memory.total);
        }
        if (unsigned milliwatts = 0; nvml.power && nvml.power(device, &milliwatts) == nvmlSuccess)
            gpu.watts = milliwatts * 1e-3;
        if (unsigned degrees = 0;
            nvml.temperature && nvml.temperature(device, temperatureOfGpu, &degrees) == nvmlSuccess)
            gpu.celsius = degrees;
        if (unsigned megahertz = 0; nvml.clock && nvml.clock(device, clockOfSm, &megahertz) == nvmlSuccess)
            gpu.smClock = megahertz;
    }
    return readings;
}

} // namespace sparserl
