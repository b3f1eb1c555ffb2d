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

/// How often an arena holds what a call may not find as another one left it.
struct ArenaShape
{
    int slots = 1; ///< Of inputs.
    int windows =
        1; ///< Inputs are longer by `windowBytes` for each beyond the first: a call reads one of them.
    int copies = 1;  ///< Of scratch memory that the plan does not zero.
    int outputs = 1; ///< Of each output.
};

/// Which of them one call uses.
struct Place
{
    int slot = 0, window = 0, copy = 0, output = 0;
};

/// Inputs by slot, with sizes in elements: floats or doubles, whose signs can be changed.
struct InputRanges
{
    std::vector<Range> ranges;
    ElementType type = ElementType::F32;
};

/// What is said of a write to something read-only.
std::string forbiddenWrite(std::string_view name);

/// The buffers of a bound plan in one block of device memory, 256-byte aligned. Before, between and behind
/// them lie zones with a seeded pattern: whoever writes past an array breaks one. Inputs exist once for each
/// slot, outputs and scratch as often as the shape says; everything else once.
class Arena
{
public:
    static constexpr int windowBytes = 256; ///< Keeps the alignment.

    /// Why no GPU of this size can hold the buffers and `more` bytes, whatever else is on it; nothing: it is
    /// not that.
    static std::optional<Fault> problem(const Gpu& gpu, const BoundPlan& plan, const ArenaShape& shape,
                                        double more = 0);
    /// Reserves, fills the zones and uploads the matrix.
    static Result<Arena> make(Gpu& gpu, const BoundPlan& plan, ArenaShape shape, std::uint64_t seed);

    const ArenaShape& shape() const { return m_shape; }
    CUdeviceptr address(int buffer, const Place& place) const;

    /// Copies all of a tensor into a window of an input, and the same values over and over around it, floats
    /// and doubles with signs that `seed` draws (0: as they are); or out of an output.
    Status upload(int buffer, const Place& place, std::span<const std::byte> values, std::uint64_t seed);
    Status download(int buffer, const Place& place, std::span<std::byte> values);
    /// Enqueues a copy of one slot of an input into another.
    Status repeat(int buffer, int from, int to);
    /// Enqueues poison: NaNs, or finite numbers that look like results, or both (as integers far outside any
    /// array), by the seed; or zeros.
    Status poison(int buffer, const Place& place, std::uint64_t seed);
    Status zero(int buffer, const Place& place);
    /// Outputs and scratch that the plan does not zero (sizes in bytes).
    std::vector<Range> writable() const;
    InputRanges inputs() const;

    /// Remembers what is in the matrix, in prepared buffers (if `prepared`) and in inputs. Waits for the
    /// stream.
    Status noteReadOnly(bool prepared);
    /// A sentence about the first zone that is not as it was ("a write outside every array, at y[3], which
    /// has 3 elements"), else about the first array that has other contents than noteReadOnly() saw. Waits
    /// for the stream, once.
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
    /// How often a buffer exists.
    static int timesOf(const BoundBuffer& buffer, const ArenaShape& shape);

    Gpu* m_gpu;
    const BoundPlan* m_plan;
    ArenaShape m_shape;
    DeviceMemory m_memory;
    std::vector<Area> m_areas;
    std::vector<std::size_t> m_firstArea; ///< Of each buffer.
    std::vector<std::size_t> m_order;     ///< Areas by address.
    std::vector<Range>
        m_zones; ///< In bytes; zone i lies before the i-th area by address; one more behind the last.
    std::uint64_t m_zoneSeed = 0;
    /// One block for tables and results of the checks.
    DeviceMemory m_checks;
    CUdeviceptr m_areaTable = 0, m_zoneTable = 0, m_zoneResults = 0;
    std::vector<std::size_t> m_watched; ///< Areas that must not change.
    std::optional<Checksums> m_sums;    ///< Of them.
};

} // namespace sparserl::cuda
