// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/gpu.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sparserl::cuda {

/// An address range in device memory, in the layout that the helper kernels use.
struct Range
{
    std::uint64_t address = 0, size = 0;
};

/// What the checks are doing, for error messages: "the GPU failed while ...".
inline constexpr const char* checking = "checking what a program may not change";

/// Waits until the checks have ended, and copies their results to the host.
Status fetchChecked(Gpu& gpu, void* to, CUdeviceptr from, std::size_t bytes);

/// Detects changes in memory that must not change, by comparing one hash per range.
class Checksums
{
public:
    /// Allocates memory for up to `most` ranges.
    static Result<Checksums> make(Gpu& gpu, std::size_t most);
    /// Records the contents of these ranges, whose sizes are in words. Waits for the stream.
    Status note(const std::vector<Range>& ranges);
    /// Enqueues the computation of new hashes for firstChanged(). Several checks can then share one wait.
    Status ask();
    /// Returns the first range whose contents changed between note() and ask(). Waits for the stream.
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
