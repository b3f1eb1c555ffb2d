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

/// The numbers of copies in an arena. Data that one call leaves behind must not be visible to other calls, so
/// an arena holds several copies of its buffers.
struct ArenaShape
{
    int slots = 1; ///< Copies of each input.
    int windows =
        1; ///< Each window after the first lengthens inputs by `windowBytes`. A call reads one window.
    int copies = 1;  ///< Copies of scratch memory that the plan does not zero.
    int outputs = 1; ///< Copies of each output.
};

/// Selects the copies that one call uses.
struct Place
{
    int slot = 0, window = 0, copy = 0, output = 0;
};

/// Input ranges by slot, with sizes in elements (floats or doubles whose signs can be changed).
struct InputRanges
{
    std::vector<Range> ranges;
    ElementType type = ElementType::F32;
};

/// Returns the message for a write to read-only memory.
std::string forbiddenWrite(std::string_view name);

/// The buffers of a bound plan in one block of device memory, each 256-byte aligned. Zones with a seeded
/// pattern lie before, between and after the buffers and detect out-of-bounds writes. Inputs exist once per
/// slot, outputs and scratch as often as the shape specifies, and all other buffers once.
class Arena
{
public:
    static constexpr int windowBytes = 256; ///< Preserves the alignment.

    /// If no GPU of this size can hold the buffers and `more` bytes, even with nothing else allocated,
    /// returns the fault to report; otherwise, nullopt.
    static std::optional<Fault> problem(const Gpu& gpu, const BoundPlan& plan, const ArenaShape& shape,
                                        double more = 0);
    /// Allocates the memory, fills the zones and uploads the matrix.
    static Result<Arena> make(Gpu& gpu, const BoundPlan& plan, ArenaShape shape, std::uint64_t seed);

    const ArenaShape& shape() const { return m_shape; }
    CUdeviceptr address(int buffer, const Place& place) const;

    /// upload() copies a whole tensor to a window of an input, repeats its values around the window, and
    /// draws signs from `seed` (0: unchanged). download() copies a whole tensor from an output.
    Status upload(int buffer, const Place& place, std::span<const std::byte> values, std::uint64_t seed);
    Status download(int buffer, const Place& place, std::span<std::byte> values);
    /// Enqueues a copy of an input from slot `from` to slot `to`.
    Status repeat(int buffer, int from, int to);
    /// poison() enqueues a fill with values that the seed selects: NaNs, finite numbers that look like
    /// results, or both. Read as integers, they are far outside any array. zero() enqueues a fill with zeros.
    Status poison(int buffer, const Place& place, std::uint64_t seed);
    Status zero(int buffer, const Place& place);
    /// Returns the outputs, and the scratch buffers that the plan does not zero, with sizes in bytes.
    std::vector<Range> writable() const;
    InputRanges inputs() const;

    /// Records the contents of the matrix, of the inputs and, if `prepared`, of the prepared buffers. Waits
    /// for the stream.
    Status noteReadOnly(bool prepared);
    /// Returns a sentence about the first damaged zone ("a write outside every array, at y[3], which has 3
    /// elements"). If no zone is damaged, the sentence is about the first array that changed since
    /// noteReadOnly(). Waits for the stream once.
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
    /// Returns the number of copies of a buffer.
    static int timesOf(const BoundBuffer& buffer, const ArenaShape& shape);

    Gpu* m_gpu;
    const BoundPlan* m_plan;
    ArenaShape m_shape;
    DeviceMemory m_memory;
    std::vector<Area> m_areas;
    std::vector<std::size_t> m_firstArea; ///< Per buffer.
    std::vector<std::size_t> m_order;     ///< Areas by address.
    std::vector<Range> m_zones; ///< Sizes in bytes. Zone i precedes the i-th area by address; the last zone
                                ///< follows the last area.
    std::uint64_t m_zoneSeed = 0;
    /// One block with the tables and results of all checks.
    DeviceMemory m_checks;
    CUdeviceptr m_areaTable = 0, m_zoneTable = 0, m_zoneResults = 0;
    std::vector<std::size_t> m_watched; ///< Areas that must not change.
    std::optional<Checksums> m_sums;    ///< Checksums of these areas.
};

} // namespace sparserl::cuda
