// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/lanes/lane_ops.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sparserl::sim {

/// A set-associative cache, like L1 and L2, with lines of 128 bytes that consist of four 32-byte sectors.
/// Sector numbers count 32-byte units of simulated memory, in 30 bits. An entry is (line + 1) << 4 | sectors
/// present.
class SectorCache
{
public:
    void reset(std::int64_t bytes, int ways)
    {
        m_sets = static_cast<std::uint32_t>(std::max<std::int64_t>(1, bytes / (128 * ways)));
        m_lines.assign(static_cast<std::size_t>(m_sets) * ways, 0);
        m_clock = 0;
        m_ways = ways;
    }
    void clear() { std::fill(m_lines.begin(), m_lines.end(), 0u); }
    /// Inserts up to 32 sectors. Writes the sectors that were missing to `missed` and returns their number.
    int access(const CacheFns& fns, const std::uint32_t* sectors, int count, std::uint32_t* missed)
    {
        return m_ways == 4 ? fns.probe4(m_lines.data(), m_sets, sectors, count, missed)
                           : fns.probe16(m_lines.data(), m_sets, &m_clock, sectors, count, missed);
    }

    std::uint32_t* lines() { return m_lines.data(); }
    std::uint32_t sets() const { return m_sets; }

private:
    int m_ways = 4;
    std::uint32_t m_sets = 1;
    std::uint32_t m_clock = 0;
    std::vector<std::uint32_t> m_lines;
};

/// The L2 cache of a device. If everything that the program can touch fits, nothing is ever evicted. One bit
/// per sector then suffices, which is several times faster than looking lines up.
class L2Cache
{
public:
    void reset(std::int64_t bytes, std::int64_t footprint)
    {
        m_fits = footprint <= bytes;
        if (m_fits)
            m_resident.assign(static_cast<std::size_t>(footprint / 32 / 64 + 2), 0);
        else
            m_lines.reset(bytes, 16);
    }
    void clear()
    {
        std::fill(m_resident.begin(), m_resident.end(), 0);
        m_lines.clear();
    }
    /// Inserts sectors, like SectorCache::access. `count` must be at least 1.
    int access(const CacheFns& fns, const std::uint32_t* sectors, int count, std::uint32_t* missed)
    {
        if (!m_fits)
            return m_lines.access(fns, sectors, count, missed);
        // Neighbouring sectors share a word of bits, which stays in a register meanwhile.
        std::uint64_t* const bits = m_resident.data();
        int misses = 0;
        std::uint32_t at = sectors[0] / 64;
        std::uint64_t word = bits[at];
        for (int i = 0; i < count; ++i) {
            const std::uint32_t sector = sectors[i];
            if (sector / 64 != at) {
                bits[at] = word;
                at = sector / 64;
                word = bits[at];
            }
            missed[misses] = sector;
            misses += (word >> (sector % 64) & 1) == 0;
            word |= std::uint64_t(1) << (sector % 64);
        }
        bits[at] = word;
        return misses;
    }

    /// Inserts sectors into `l1`, and those that miss there into L2. Takes one step if everything fits.
    int access(const CacheFns& fns, SectorCache& l1, const std::uint32_t* sectors, int count,
               std::uint32_t* missed, int* l1Hits)
    {
        if (m_fits)
            return fns.probeResident(l1.lines(), l1.sets(), m_resident.data(), sectors, count, missed,
                                     l1Hits);
        std::uint32_t afterL1[lanesPerWarp];
        const int asked = l1.access(fns, sectors, count, afterL1);
        *l1Hits = count - asked;
        return asked ? access(fns, afterL1, asked, missed) : 0;
    }

private:
    bool m_fits = false;
    std::vector<std::uint64_t> m_resident;
    SectorCache m_lines;
};

constexpr int l1Ways = 4;

} // namespace sparserl::sim
