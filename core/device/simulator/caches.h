// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sparserl::sim {

/// A set-associative cache of 128-byte lines in four 32-byte sectors, as L1 and L2 are. Sector numbers count
/// 32-byte units of simulated memory.
template <int Ways>
class SectorCache
{
public:
    void reset(std::int64_t bytes)
    {
        m_sets = static_cast<std::uint32_t>(std::max<std::int64_t>(1, bytes / (128 * Ways)));
        m_lines.assign(static_cast<std::size_t>(m_sets) * Ways, 0);
        m_clock = 0;
    }
    void clear() { std::fill(m_lines.begin(), m_lines.end(), 0u); }
    /// True if the sector was there; it is afterwards.
    bool access(std::uint32_t sector)
    {
        const std::uint32_t line = (sector >> 2) + 1;
        const std::uint32_t bit = 1u << (sector & 3);
        const std::uint64_t hash = static_cast<std::uint32_t>(line * 2654435761u);
        std::uint32_t* set = m_lines.data() + ((hash * m_sets) >> 32) * Ways;
        for (int w = 0; w < Ways; ++w) {
            if (set[w] >> 4 == line) {
                const bool hit = (set[w] & bit) != 0;
                set[w] |= bit;
                if (Ways <= 4 && w > 0)
                    std::swap(set[w], set[w - 1]); // drifts to the front: close to least recently used
                return hit;
            }
        }
        int victim = 0;
        if constexpr (Ways <= 4) {
            for (int w = Ways - 1; w > 0; --w)
                set[w] = set[w - 1];
        } else {
            victim = static_cast<int>((++m_clock * 2654435761u) >> 8) & (Ways - 1);
            for (int w = 0; w < Ways; ++w) {
                if (!set[w]) {
                    victim = w;
                    break;
                }
            }
        }
        set[victim] = line << 4 | bit;
        return false;
    }

private:
    std::uint32_t m_sets = 1;
    std::uint32_t m_clock = 0;
    std::vector<std::uint32_t> m_lines; ///< (line + 1) << 4 | sectors present
};

using L1Cache = SectorCache<4>;
using L2Cache = SectorCache<16>;

} // namespace sparserl::sim
