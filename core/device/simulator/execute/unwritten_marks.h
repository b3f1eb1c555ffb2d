// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/memory/simulated_memory.h"

#include <array>
#include <unordered_map>
#include <vector>

namespace sparserl::sim {

/// The registers of a warp, by number and lane, whose values depend on unwritten bytes. A compiler may load
/// early and discard the value after a branch, so the load itself is not a fault.
class UnwrittenMarks
{
public:
    /// A load that read unwritten bytes.
    struct Origin
    {
        const Insn* load = nullptr;
        ptx::Space space = ptx::Space::Global;
        Region* region = nullptr;
        std::uint32_t lanes = 0; ///< Lanes for which `offsets` has the latest read.
        std::array<std::uint32_t, lanesPerWarp> offsets{};
    };

    bool any() const { return !m_marked.empty(); }
    std::uint32_t lanes(std::uint32_t number) const
    {
        return number < m_marks.size() ? m_marks[number].lanes : 0;
    }
    /// Returns the origin of a marked register.
    const Origin& origin(std::uint32_t number) const { return *m_marks[number].origin; }
    /// Returns the record of what a load has read. Its address stays valid until clear().
    Origin& originOf(const Insn& load)
    {
        Origin& origin = m_origins[&load];
        origin.load = &load;
        return origin;
    }
    /// Marks these lanes of a register and no others. `registers` is the number of registers of the warp.
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
        std::uint32_t position = 0; ///< Index into m_marked.
        const Origin* origin = nullptr;
    };
    std::vector<Mark> m_marks;           ///< By register number; empty until a register is marked.
    std::vector<std::uint32_t> m_marked; ///< Numbers of registers with a marked lane.
    std::unordered_map<const Insn*, Origin> m_origins;
};

} // namespace sparserl::sim
