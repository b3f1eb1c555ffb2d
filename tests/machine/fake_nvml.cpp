// SPDX-License-Identifier: Apache-2.0
// A libnvidia-ml.so.1 for tests: what its GPUs are like stands in $SPARSERL_FAKE_NVML, one after the other
// with blanks between: "good", "busy", "bare" (a part of a divided GPU: memory only), "lost" (its handle is
// not given) or "failing" (every question fails). "broken" alone: it does not start; "held" alone: one
// good GPU, and no answer comes while fakeNvmlHold(1) holds.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int success = 0, uninitialised = 1, invalid = 2, notSupported = 3, lost = 15;

struct FakeGpu
{
    std::string kind;
};

struct Fake
{
    int started = 0;
    std::vector<FakeGpu> gpus;
};

std::atomic<int> held = 0, waiting = 0;

Fake& fake()
{
    static Fake all;
    return all;
}

const FakeGpu* gpuOf(void* device)
{
    const auto* gpu = static_cast<const FakeGpu*>(device);
    if (gpu && gpu->kind == "held") {
        ++waiting;
        while (held)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        --waiting;
    }
    return fake().started > 0 && gpu && gpu->kind != "failing" ? gpu : nullptr;
}

/// Of what only whole GPUs tell.
int put(void* device, unsigned* value, unsigned good, unsigned busy)
{
    const FakeGpu* gpu = gpuOf(device);
    if (!gpu)
        return lost;
    if (gpu->kind == "bare")
        return notSupported;
    *value = gpu->kind == "busy" ? busy : good;
    return success;
}

struct Utilization
{
    unsigned gpu, memory;
};

struct Memory
{
    unsigned long long total, free, used;
};

} // namespace

extern "C" {

int nvmlInit_v2()
{
    const char* text = std::getenv("SPARSERL_FAKE_NVML");
    std::istringstream words(text ? text : "");
    if (text && std::string(text) == "broken")
        return uninitialised;
    fake().gpus.clear();
    for (std::string word; words >> word;)
        fake().gpus.push_back({word});
    ++fake().started;
    return success;
}

int nvmlShutdown()
{
    --fake().started;
    return success;
}

/// For the test: answers of a GPU that is "held" wait from now on, or no longer.
void fakeNvmlHold(int hold)
{
    held = hold;
}

/// For the test: how many threads wait for such an answer.
int fakeNvmlWaiting()
{
    return waiting;
}

/// For the test: how often it was started and not shut down.
int fakeNvmlStarted()
{
    return fake().started;
}

int nvmlDeviceGetCount_v2(unsigned* count)
{
    *count = static_cast<unsigned>(fake().gpus.size());
    return success;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device)
{
    if (index >= fake().gpus.size())
        return invalid;
    if (fake().gpus[index].kind == "lost")
        return lost;
    *device = &fake().gpus[index];
    return success;
}

int nvmlDeviceGetUtilizationRates(void* device, Utilization* rates)
{
    rates->memory = 99; // another figure, which nobody is to take
    return put(device, &rates->gpu, 12, 87);
}

int nvmlDeviceGetMemoryInfo(void* device, Memory* memory)
{
    const FakeGpu* gpu = gpuOf(device);
    if (!gpu)
        return lost;
    const unsigned long long gib = 1ULL << 30;
    memory->total = 139 * gib;
    memory->used = (gpu->kind == "busy" ? 41 : 3) * gib;
    memory->free = memory->total - memory->used;
    return success;
}

int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts)
{
    return put(device, milliwatts, 75500, 412250);
}

int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* degrees)
{
    return sensor == 0 ? put(device, degrees, 31, 64) : invalid;
}

int nvmlDeviceGetClockInfo(void* device, int clock, unsigned* megahertz)
{
    return clock == 1 ? put(device, megahertz, 345, 1980) : invalid;
}

} // extern "C"
