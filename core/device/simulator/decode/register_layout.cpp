// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/decode/register_layout.h"

namespace sparserl::sim {

std::uint32_t RegisterLayout::allot(std::uint32_t bytes)
{
    const std::uint32_t at = m_out.registerBytes;
    m_out.registerBytes += (bytes + 63) / 64 * 64;
    return at;
}

std::uint32_t RegisterLayout::constant(std::uint64_t bits, bool wide)
{
    if (!wide)
        bits &= 0xffffffffu;
    const auto [found, added] = m_constants.try_emplace({bits, wide}, 0);
    if (added) {
        found->second = allot(wide ? wideBytes : wordBytes);
        m_out.constants.push_back({found->second, wide, bits});
    }
    return found->second;
}

std::uint32_t RegisterLayout::special(ptx::SpecialRegister which)
{
    if (which == ptx::SpecialRegister::WarpSize)
        return constant(lanesPerWarp, false);
    std::uint32_t& slot = m_out.specials[static_cast<std::size_t>(which)];
    if (slot == noSlot)
        slot = allot(wordBytes);
    return slot;
}

std::uint32_t RegisterLayout::parameter(std::uint32_t at, int bytes, bool sign, bool wide)
{
    const auto [slot, added] = m_parameters.try_emplace(std::make_tuple(at, bytes, sign, wide), 0);
    if (added) {
        slot->second = allot(wide ? wideBytes : wordBytes);
        m_out.paramUses.push_back({slot->second, wide, at, static_cast<std::uint8_t>(bytes), sign});
    }
    return slot->second;
}

} // namespace sparserl::sim
