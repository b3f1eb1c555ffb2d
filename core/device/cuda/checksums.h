// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/gpu.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sparserl::cuda {

/// Address ranges in device memory, in the layout of the helper kernels.
struct Range
{
    std::uint64_t address = 0, size = 0;
};

/// The current activity, for error messages.
inline constexpr const char* checking = "checking what a program may not change";

/// Waits for the checks and copies their results.
Status fetchChecked(Gpu& gpu, void* to, CUdeviceptr from, std::size_t bytes);

/// Memory that must not change, identified by a hash per range.
class Checksums
{
public:
    /// Allocates for up to `most` ranges.
    static Result<Checksums> make(Gpu& gpu, std::size_t most);
    /// Records the contents of these ranges, with sizes in words. Waits for the stream.
    Status note(const std::vector<Range>& ranges);
    /// Enqueues the computation for firstChanged(), so several checks need only one wait.
    Status ask();
    /// The first range whose contents changed between note() and ask(). Waits for the stream.
    Result<std::optional<std::size_t>> firstChanged();

private:
    explicit Checksums(Gpu& gpu)
        : m_gpu(&gpu)
    {
    }
    Result<std::vector<std::uint64_t>> answer();

    Gpu* m_gpu;
    CUdeviceptr results() const { return m_memory.address() + m_most * sizeof(Range); }

    DeviceMemory m_memory;
    std::size_t m_most = 0, m_count = 0;
    std::uint64_t m_mostWords = 0; ///< Size of the largest range.
    std::vector<std::uint64_t> m_expected;
};

} // namespace sparserl::cuda
