// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/gpu.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sparserl::cuda {

/// Addresses in device memory, as the helper kernels read them.
struct Range
{
    std::uint64_t address = 0, size = 0;
};

/// What our checks do on the GPU, for error messages.
inline constexpr const char* checking = "checking what a program may not change";

/// Waits for our checks and copies what they found.
Status fetchChecked(Gpu& gpu, void* to, CUdeviceptr from, std::size_t bytes);

/// Memory that must not change, known by a hash of each range.
class Checksums
{
public:
    /// Room for so many ranges.
    static Result<Checksums> make(Gpu& gpu, std::size_t most);
    /// Remembers what is in these ranges, with sizes in words. Waits for the stream.
    Status note(const std::vector<Range>& ranges);
    /// Enqueues the question that firstChanged() answers: with others on the stream, all are waited for once.
    Status ask();
    /// The first range that had other contents when it was asked than when it was noted. Waits for the
    /// stream.
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
    std::uint64_t m_mostWords = 0; ///< Of a range.
    std::vector<std::uint64_t> m_expected;
};

} // namespace sparserl::cuda
