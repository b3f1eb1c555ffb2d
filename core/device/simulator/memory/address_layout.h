// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "device/simulator/decode/address_space.h"

#include <vector>

namespace sparserl::sim {

struct Region;

/// Where everything lies in one execution.
struct AddressLayoutDraw
{
    AddressPlan plan;
    std::vector<std::uint64_t> arrays; ///< Of each buffer of the plan; multiples of 256.
};

/// The same seed gives the same addresses.
AddressLayoutDraw drawAddresses(const BoundPlan& plan, AddressLayout layout, std::uint64_t seed);

/// Which region an address belongs to, where the address alone does not say.
class AddressMap
{
public:
    static constexpr std::uint32_t nothing = ~0u;

    /// Of regions that may grow to `variableBytes` (those of variables) and to the most that constants have.
    void build(const std::vector<Region>& regions, std::uint64_t variableBytes);
    bool active() const { return !m_places.empty(); }
    /// The region that holds the address, or else the nearest one; nothing where none is near. `slot`: any
    /// number that is the same for accesses which mostly go to the same region.
    std::uint32_t regionOf(std::uint64_t address, std::size_t slot) const
    {
        const Place& last = m_places[m_last[slot % m_last.size()]];
        return address - last.base < last.bytes ? last.region : find(address, slot);
    }

private:
    struct Place
    {
        std::uint64_t base = 0, bytes = 0;
        std::uint32_t region = 0;
    };
    std::uint32_t find(std::uint64_t address, std::size_t slot) const;

    std::vector<Place> m_places; ///< By address.
    mutable std::array<std::uint32_t, 256> m_last{};
};

} // namespace sparserl::sim
