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

/// Device memory that goes back when it is dropped, unless the context is poisoned: freeing would then wait
/// for ever.
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

/// Entry points of helper_kernels.h.
struct Helpers
{
    CUfunction empty = nullptr, checksum = nullptr, zoneFill = nullptr, zoneCheck = nullptr, fill = nullptr,
               read = nullptr, copy = nullptr, poison = nullptr, signs = nullptr, scrub = nullptr,
               compare = nullptr, compare64 = nullptr;
};

/// One GPU with its primary context (which vendor libraries share) and one stream. Used by one thread.
///
/// A kernel can leave the context with a sticky error, or never end; then `poisoned()` is true, every call is
/// an Error, nothing is freed, and the process has to be replaced (end it by _exit: handlers may wait).
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

    /// Makes the context current in this thread. Fails where it is poisoned.
    Status begin();
    /// `doing` completes "the GPU failed while ...". A sticky error poisons.
    Status check(CUresult code, std::string_view doing);

    Result<DeviceMemory> allocate(std::int64_t bytes, std::string_view what);
    Status upload(CUdeviceptr to, const void* from, std::size_t bytes);
    Status download(void* to, CUdeviceptr from, std::size_t bytes);
    /// Launches a helper on our stream; `rows` is the grid's extent in y.
    Status launchHelper(CUfunction function, unsigned blocks, unsigned threads, void** arguments,
                        std::string_view doing, unsigned rows = 1);

    /// Waits for everything on our stream, at most `seconds`. Nothing: it is done. A Fault: a kernel failed,
    /// or (Timeout) did not end; the context is then poisoned. An Error: the machine failed.
    Result<std::optional<Fault>> settle(double seconds);
    /// What a launch or a wait returned, as a program's fault; nothing where it is not the program's.
    std::optional<Fault> faultOf(CUresult code) const;

    /// Writes twice L2's size and then reads L2's size elsewhere, on our stream: afterwards nothing of a
    /// program is cached, and what is cached is clean.
    Status flushL2();
    /// Fills all shared memory with poison, on our stream: what a kernel leaves there no later one finds.
    Status scrubShared(std::uint64_t seed);
    /// How many blocks of 256 threads a helper that walks over `words` is launched with.
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
    // Blocks given back, for later allocations: reserving and freeing takes longer than many a kernel.
    struct Spare
    {
        CUdeviceptr address = 0;
        std::int64_t bytes = 0;
    };
    std::vector<Spare> m_spares;
};

/// The next multiple of `unit`.
constexpr std::int64_t roundUp(std::int64_t value, std::int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/// Seconds of a clock that never jumps.
double now();

} // namespace sparserl::cuda
