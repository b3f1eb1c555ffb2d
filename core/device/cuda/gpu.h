// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "device/cuda/driver.h"
#include "device/cuda/gpu_info.h"
#include "device/fault.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl::cuda {

Result<GpuInfo> describeGpu(const Driver& driver, int ordinal);

class Gpu;

/// Device memory. The destructor frees it unless the context is poisoned: freeing could then wait forever.
class DeviceMemory
{
public:
    DeviceMemory() = default;
    DeviceMemory(Gpu& gpu, CUdeviceptr address, std::int64_t bytes);
    ~DeviceMemory();
    DeviceMemory(DeviceMemory&& other) noexcept;
    DeviceMemory& operator=(DeviceMemory&& other) noexcept;
    CUdeviceptr address() const { return m_address; }
    std::int64_t bytes() const { return m_bytes; }
    explicit operator bool() const { return m_address != 0; }

private:
    void release();
    Gpu* m_gpu = nullptr;
    CUdeviceptr m_address = 0;
    std::int64_t m_bytes = 0;
};

/// The entry points of the PTX in helper_kernels.h.
struct Helpers
{
    CUfunction empty = nullptr, checksum = nullptr, zoneFill = nullptr, zoneCheck = nullptr, fill = nullptr,
               read = nullptr, copy = nullptr, poison = nullptr, signs = nullptr, scrub = nullptr,
               compare = nullptr, compare64 = nullptr;
};

/// One GPU with its primary context (shared with vendor libraries) and one stream. For use in one thread.
///
/// A kernel can leave a sticky error in the context, or never end. Then `poisoned()` is true, every call
/// returns an Error, and nothing is freed. The process must be replaced; end it with _exit, because exit
/// handlers may wait forever.
class Gpu
{
public:
    static Result<std::unique_ptr<Gpu>> open(int ordinal, const std::filesystem::path& driverLibrary = {});
    ~Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    const Driver& api() const { return *m_driver; }
    const GpuInfo& info() const { return m_info; }
    const Helpers& helpers() const { return m_helpers; }
    CUstream stream() const { return m_stream; }
    bool poisoned() const { return m_poisoned; }
    void poison() { m_poisoned = true; }

    /// Makes the context current in this thread. Fails if the context is poisoned.
    Status begin();
    /// Returns an Error for a failure: "the GPU failed while DOING". A sticky error poisons the context.
    Status check(CUresult code, std::string_view doing);

    Result<DeviceMemory> allocate(std::int64_t bytes, std::string_view what);
    Status upload(CUdeviceptr to, const void* from, std::size_t bytes);
    Status download(void* to, CUdeviceptr from, std::size_t bytes);
    /// Launches a helper kernel on our stream. `rows` is the y extent of the grid.
    Status launchHelper(CUfunction function, unsigned blocks, unsigned threads, void** arguments,
                        std::string_view doing, unsigned rows = 1);

    /// Waits at most `seconds` for all work on our stream. Returns nullopt if the work is done, a Fault if a
    /// kernel failed or did not end (Timeout), which poisons the context, and an Error if the machine failed.
    Result<std::optional<Fault>> settle(double seconds);
    /// Interprets the result of a launch or a wait as a fault of the program. Returns nullopt if the program
    /// is not at fault.
    std::optional<Fault> faultOf(CUresult code) const;

    /// Writes twice the size of L2 and then reads the size of L2 from other addresses, on our stream.
    /// Afterwards the cache contains no data of a program and no dirty lines.
    Status flushL2();
    /// Fills all shared memory with poison, on our stream, so a kernel cannot find data of an earlier one.
    Status scrubShared(std::uint64_t seed);
    /// Returns the number of 256-thread blocks for a helper kernel that iterates over `words`.
    unsigned blocksFor(std::uint64_t words) const;

private:
    friend class DeviceMemory;
    Gpu() = default;
    Status start(int ordinal);
    Status loadHelpers();
    void freeSpares();
    void give(CUdeviceptr address, std::int64_t bytes);

    std::shared_ptr<const Driver> m_driver;
    GpuInfo m_info;
    CUdevice m_device = 0;
    CUcontext m_context = nullptr;
    CUstream m_stream = nullptr;
    CUevent m_done = nullptr;
    CUmodule m_helperModule = nullptr;
    Helpers m_helpers;
    bool m_poisoned = false;
    DeviceMemory m_flush;
    // Freed blocks kept for later allocations: allocating and freeing takes longer than many kernels.
    struct Spare
    {
        CUdeviceptr address = 0;
        std::int64_t bytes = 0;
    };
    std::vector<Spare> m_spares;
};

/// Rounds up to the next multiple of `unit`.
constexpr std::int64_t roundUp(std::int64_t value, std::int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/// Returns the time of a monotonic clock in seconds.
double now();

} // namespace sparserl::cuda
