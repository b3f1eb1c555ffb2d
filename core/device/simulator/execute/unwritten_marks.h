// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/memory/simulated_memory.h"

#include <array>
#include <unordered_map>
#include <vector>

namespace sparserl::sim {

/// Registers of a warp, by number and lane, that hold what comes of bytes which nothing wrote. A compiler
/// loads early what a branch may or may not need, and discards it later; so the load itself is no fault.
class UnwrittenMarks
{
public:
    /// A load that read such bytes.
    struct Origin
    {
        const Insn* load = nullptr;
        ptx::Space space = ptx::Space::Global;
        Region* region = nullptr;
        std::uint32_t lanes = 0; ///< For which `offsets` say what they read last.
        std::array<std::uint32_t, lanesPerWarp> offsets{};
    };

    bool any() const { return !m_marked.empty(); }
    std::uint32_t lanes(std::uint32_t number) const
    {
        return number < m_marks.size() ? m_marks[number].lanes : 0;
    }
    /// Of a register that is marked.
    const Origin& origin(std::uint32_t number) const { return *m_marks[number].origin; }
    /// Where a load notes what it reads; stays where it is until clear().
    Origin& originOf(const Insn& load)
    {
        Origin& origin = m_origins[&load];
        origin.load = &load;
        return origin;
    }
    /// From now on these lanes of a register are marked and no other. `registers`: how many there are.
    void set(std::uint32_t number, std::uint32_t lanes, const Origin* origin, std::size_t registers)
    {
        if (m_marks.size() < registers)
            m_marks.resize(registers);
        Mark& mark = m_marks[number];
        if (lanes)
            mark.origin = origin;
        if ((mark.lanes != 0) == (lanes != 0)) {
            mark.lanes = lanes;
            return;
        }
        if (lanes) {
            mark.position = static_cast<std::uint32_t>(m_marked.size());
            m_marked.push_back(number);
        } else {
            m_marks[m_marked.back()].position = mark.position;
            m_marked[mark.position] = m_marked.back();
            m_marked.pop_back();
        }
        mark.lanes = lanes;
    }
    void clear()
    {
        for (const std::uint32_t number : m_marked)
            m_marks[number].lanes = 0;
        m_marked.clear();
        if (!m_origins.empty())
            m_origins.clear();
    }

private:
    struct Mark
    {
        std::uint32_t lanes = 0;
        std::uint32_t position = 0; ///< In m_marked.
        const Origin* origin = nullptr;
    };
    std::vector<Mark> m_marks;           ///< By number; empty until the first one.
    std::vector<std::uint32_t> m_marked; ///< Numbers of registers with a lane that is marked.
    std::unordered_map<const Insn*, Origin> m_origins;
};

} // namespace sparserl::sim
