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
    /// The region that holds the address, or else the nearest one; nothing where none is near. `who`: the
    /// same for accesses that mostly go to the same region.
    std::uint32_t regionOf(std::uint64_t address, const void* who) const;

private:
    struct Place
    {
        std::uint64_t base = 0, bytes = 0;
        std::uint32_t region = 0;
    };

    std::vector<Place> m_places; ///< By address.
    mutable std::array<std::uint32_t, 256> m_last{};
};

} // namespace sparserl::sim
