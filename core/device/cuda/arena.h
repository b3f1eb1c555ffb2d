// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/checksums.h"
#include "device/cuda/gpu.h"
#include "kernel/bind.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sparserl::cuda {

/// Numbers of copies in an arena. Data that one call leaves behind must not be visible to another call, so an
/// arena holds several copies of them.
struct ArenaShape
{
    int slots = 1; ///< Copies of inputs.
    int windows =
        1; ///< Each window beyond the first lengthens inputs by `windowBytes`; a call reads one of them.
    int copies = 1;  ///< Copies of scratch memory that the plan does not zero.
    int outputs = 1; ///< Copies of each output.
};

/// The copies used in one call.
struct Place
{
    int slot = 0, window = 0, copy = 0, output = 0;
};

/// Inputs by slot, with sizes in elements: floats or doubles whose signs can be changed.
struct InputRanges
{
    std::vector<Range> ranges;
    ElementType type = ElementType::F32;
};

/// The message for a write to read-only memory.
std::string forbiddenWrite(std::string_view name);

/// The buffers of a bound plan in one block of device memory, 256-byte aligned. Zones with a seeded pattern
/// before, between and after them detect out-of-bounds writes. Inputs exist once per slot, outputs and
/// scratch as often as the shape specifies, everything else once.
class Arena
{
public:
    static constexpr int windowBytes = 256; ///< Preserves the alignment.

    /// Why no GPU of this size can hold the buffers and `more` bytes, regardless of other allocations;
    /// nullopt if it can.
    static std::optional<Fault> problem(const Gpu& gpu, const BoundPlan& plan, const ArenaShape& shape,
                                        double more = 0);
    /// Allocates, fills the zones and uploads the matrix.
    static Result<Arena> make(Gpu& gpu, const BoundPlan& plan, ArenaShape shape, std::uint64_t seed);

    const ArenaShape& shape() const { return m_shape; }
    CUdeviceptr address(int buffer, const Place& place) const;

    /// Copies a whole tensor to a window of an input, with the same values repeated around it and signs drawn
    /// from `seed` (0: unchanged); or from an output.
    Status upload(int buffer, const Place& place, std::span<const std::byte> values, std::uint64_t seed);
    Status download(int buffer, const Place& place, std::span<std::byte> values);
    /// Enqueues a copy from one input slot to another.
    Status repeat(int buffer, int from, int to);
    /// Enqueues poison selected by the seed (NaNs, finite numbers that look like results, or both; as
    /// integers far outside any array), or zeros.
    Status poison(int buffer, const Place& place, std::uint64_t seed);
    Status zero(int buffer, const Place& place);
    /// Outputs and scratch that the plan does not zero (sizes in bytes).
    std::vector<Range> writable() const;
    InputRanges inputs() const;

    /// Records the contents of the matrix, of prepared buffers (if `prepared`) and of inputs. Waits for the
    /// stream.
    Status noteReadOnly(bool prepared);
    /// A sentence about the first damaged zone ("a write outside every array, at y[3], which has 3
    /// elements"), otherwise about the first array changed since noteReadOnly(). Waits for the stream once.
    Result<std::optional<std::string>> damage();

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
    std::size_t areaOf(int buffer, const Place& place) const;
    static bool copied(const BoundBuffer& buffer)
    {
        return buffer.role == BufferRole::Scratch && !buffer.zero;
    }
    Status reserveChecks();
    std::optional<std::string> brokenZone(const std::vector<std::uint32_t>& firstBroken) const;
    Status fill(const Area& area, unsigned word);
    /// The number of copies of a buffer.
    static int timesOf(const BoundBuffer& buffer, const ArenaShape& shape);

    Gpu* m_gpu;
    const BoundPlan* m_plan;
    ArenaShape m_shape;
    DeviceMemory m_memory;
    std::vector<Area> m_areas;
    std::vector<std::size_t> m_firstArea; ///< Per buffer.
    std::vector<std::size_t> m_order;     ///< Areas by address.
    std::vector<Range>
        m_zones; ///< In bytes; zone i precedes the i-th area by address; one more follows the last.
    std::uint64_t m_zoneSeed = 0;
    /// One block for tables and results of the checks.
    DeviceMemory m_checks;
    CUdeviceptr m_areaTable = 0, m_zoneTable = 0, m_zoneResults = 0;
    std::vector<std::size_t> m_watched; ///< Areas that must not change.
    std::optional<Checksums> m_sums;    ///< Checksums of these areas.
};

} // namespace sparserl::cuda
