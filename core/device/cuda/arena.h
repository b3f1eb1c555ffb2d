// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/gpu.h"
#include "kernel/bind.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sparserl::cuda {

/// The buffers of a bound plan in one block of device memory, 256-byte aligned. Before, between and behind
/// them lie zones with a seeded pattern: whoever writes past an array breaks one. Inputs and outputs exist
/// once for each slot; everything else once.
class Arena
{
public:
    /// Reserves, fills the zones and uploads the matrix. `slots` >= 1.
    static Result<Arena> make(Gpu& gpu, const BoundPlan& plan, int slots, std::uint64_t seed);

    int slots() const { return m_slots; }
    CUdeviceptr address(int buffer, int slot) const { return m_areas[areaOf(buffer, slot)].address; }

    /// Copies into an input or out of an output.
    Status upload(int buffer, int slot, std::span<const float> values);
    Status download(int buffer, int slot, std::vector<float>& values);
    /// Enqueues a copy of one slot of an input into another.
    Status repeat(int buffer, int from, int to);
    /// Enqueues NaNs of a seeded payload (as integers far outside any array), or zeros.
    Status poison(int buffer, int slot, std::uint64_t seed);
    Status zero(int buffer, int slot);

    /// A sentence about the first zone that is not as it was: "'y' was written 3 elements behind its end".
    Result<std::optional<std::string>> brokenZone();
    /// Remembers what is in the matrix, in prepared buffers (if `prepared`) and in inputs; later, the name of
    /// the first of them that has other contents. Both wait for the stream.
    Status noteReadOnly(bool prepared);
    Result<std::optional<std::string>> changedReadOnly();

private:
    struct Area
    {
        int buffer = 0, slot = 0;
        CUdeviceptr address = 0;
        std::int64_t bytes = 0;
    };
    Arena(Gpu& gpu, const BoundPlan& plan)
        : m_gpu(&gpu)
        , m_plan(&plan)
    {
    }
    std::size_t areaOf(int buffer, int slot) const
    {
        const auto index = static_cast<std::size_t>(buffer);
        return m_firstArea[index] + (m_slotted[index] ? static_cast<std::size_t>(slot) : 0);
    }
    Status reserveChecks();
    Status fill(const Area& area, unsigned word);
    Status fetch(void* to, CUdeviceptr from, std::size_t bytes);
    Result<std::vector<std::uint64_t>> checksums();

    Gpu* m_gpu;
    const BoundPlan* m_plan;
    int m_slots = 1;
    DeviceMemory m_memory;
    std::vector<Area> m_areas;
    std::vector<std::size_t> m_firstArea; ///< Of each buffer.
    std::vector<bool> m_slotted;
    /// As the helper kernels read it.
    struct Range
    {
        std::uint64_t address = 0, size = 0;
    };
    std::vector<Range> m_zones; ///< In bytes; zone i lies before area i; one more behind the last.
    std::uint64_t m_zoneSeed = 0;
    /// One block for tables and results of the checks.
    DeviceMemory m_checks;
    CUdeviceptr m_zoneTable = 0, m_zoneResults = 0, m_sumTable = 0, m_sums = 0;
    std::vector<std::size_t> m_watched; ///< Areas that must not change.
    std::uint64_t m_mostWords = 0;      ///< Of a watched area.
    std::vector<std::uint64_t> m_expected;
};

} // namespace sparserl::cuda
