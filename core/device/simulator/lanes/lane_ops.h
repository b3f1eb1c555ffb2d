// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/types.h"

#include <cstddef>
#include <cstdint>

// Operations on the 32 lanes of a warp. The function bodies in lane_ops_body.h are compiled once per
// instruction set. They must not use templates of the standard library, because the linker could then keep
// the copy for the newest processor.
namespace sparserl::sim {

constexpr int lanesPerWarp = 32;
constexpr std::uint32_t allLanes = 0xffffffffu;
constexpr std::uint32_t noSlot = 0xffffffffu;

/// Returns the number of ones in a word. Needs no call even where the processor lacks the instruction.
constexpr int bitCount(std::uint32_t bits)
{
    bits -= (bits >> 1) & 0x55555555u;
    bits = (bits & 0x33333333u) + ((bits >> 2) & 0x33333333u);
    return static_cast<int>((((bits + (bits >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24);
}

/// Byte offsets of operands in a warp's register file. A 16- or 32-bit register is a u32[32], a 64-bit
/// register is a u64[32], and a predicate is one u32 with one bit per lane.
struct LaneArgs
{
    std::uint32_t d = 0, a = 0, b = 0, c = 0;
    std::uint32_t e = noSlot; ///< The fourth source (bfi), the second destination (setp), or the carry flags.
    /// The table of lop3, the value of a true result of set, or a TestpKind. For setp: which predicate
    /// sources are negated (bits 0 to 2), and BoolOp << 8.
    std::uint32_t imm = 0;
};

using LaneFn = void (*)(std::byte* registers, const LaneArgs& args, std::uint32_t mask);

/// The key of an operation: the parts of an OpcodeForm that affect single lanes.
struct LaneKey
{
    std::uint16_t family = 0;
    ptx::Type type = ptx::Type::None;
    ptx::Type source = ptx::Type::None;
    ptx::Cmp cmp = ptx::Cmp::None;
    ptx::Rounding rounding = ptx::Rounding::None;
    bool ftz = false;
    bool saturate = false;
};

struct LaneFns
{
    LaneFn full = nullptr;   ///< For a full mask; does not read the mask.
    LaneFn masked = nullptr; ///< Writes only the lanes in the mask.
};

/// Address arithmetic of memory instructions.
struct AddressFns
{
    /// Sets out[l] = address[l] + offset - base. Returns the lanes in the mask whose result exceeds `limit`.
    std::uint32_t (*offsets64)(const std::uint64_t* address, std::int64_t offset, std::uint64_t base,
                               std::uint64_t limit, std::uint32_t mask, std::uint32_t* out) = nullptr;
    std::uint32_t (*offsets32)(const std::uint32_t* address, std::int64_t offset, std::uint64_t limit,
                               std::uint32_t mask, std::uint32_t* out) = nullptr;
    /// Returns true if out[l] == out[0] + l * width for every lane.
    bool (*contiguous)(const std::uint32_t* offsets, std::uint32_t width) = nullptr;
    /// Returns the lanes in the mask whose offset is not a multiple of `width` (a power of two).
    std::uint32_t (*misaligned)(const std::uint32_t* offsets, std::uint32_t width,
                                std::uint32_t mask) = nullptr;
    /// Sets d[l] to the u32 at host + offsets[l] for every lane in the mask.
    void (*gather32)(const std::byte* host, const std::uint32_t* offsets, std::uint32_t mask,
                     std::uint32_t* d) = nullptr;
};

/// Operations on the sectors (32-byte units) that a warp requests.
struct CacheFns
{
    /// Writes the sectors of 32 offsets without equal neighbours, and returns their number. Sets the number
    /// of line changes from lane to lane, and whether the sectors ascend. Sector 0 must not occur. `sectors`
    /// needs space for 48.
    int (*sectorsOf)(const std::uint32_t* offsets, std::uint32_t firstSector, std::uint32_t* sectors,
                     int* lineChanges, bool* ascending) = nullptr;
    /// Removes duplicate sectors but keeps the first of each. Returns the number that remains. `table` has
    /// 256 entries; `generation` differs in every call.
    int (*distinct)(std::uint32_t* sectors, int count, std::uint64_t* table,
                    std::uint32_t generation) = nullptr;
    /// Looks sectors up in a cache with sets of 4 lines (L1) or 16 lines (L2), and inserts them; see
    /// caches.h. Writes the sectors that were missing to `missed` and returns their number.
    int (*probe4)(std::uint32_t* lines, std::uint32_t sets, const std::uint32_t* sectors, int count,
                  std::uint32_t* missed) = nullptr;
    int (*probe16)(std::uint32_t* lines, std::uint32_t sets, std::uint32_t* clock,
                   const std::uint32_t* sectors, int count, std::uint32_t* missed) = nullptr;
    /// Does the same as probe4 in L1, and looks the sectors that miss up in `resident`, which has a bit for
    /// each sector in L2. Writes sectors that miss in both to `missed` and returns their number.
    int (*probeResident)(std::uint32_t* lines, std::uint32_t sets, std::uint64_t* resident,
                         const std::uint32_t* sectors, int count, std::uint32_t* missed,
                         int* l1Hits) = nullptr;
};

/// Shuffles all lanes: sets d[l] = a[source lane of l]. b has the amounts; c has the clamp and segment
/// masks of PTX. Returns the lanes whose source is in range.
using ShuffleFn = std::uint32_t (*)(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                                    std::uint32_t* d);
struct ShuffleFns
{
    ShuffleFn byMode[4] = {}; ///< Indexed by ptx::ShuffleMode.
};

/// Copies and sums that decoding adds to a program.
struct MoveFns
{
    LaneFns copy32, copy64, add64, subtract64;
    LaneFns (*resize)(ptx::Type to,
                      ptx::Type from) = nullptr; ///< Finds the functions that convert between integers.
};

struct LaneTable
{
    const char* name = "";
    LaneFns (*find)(const LaneKey& key) =
        nullptr; ///< Returns null functions for an operation that does not work lane by lane.
    AddressFns addresses;
    CacheFns caches;
    ShuffleFns shuffles;
    MoveFns moves;
};

LaneTable baselineLanes();
LaneTable avx2Lanes();
LaneTable avx512Lanes();

/// Returns the best table that this processor supports.
const LaneTable& laneTable();

} // namespace sparserl::sim
