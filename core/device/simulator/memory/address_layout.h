// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "device/simulator/decode/address_space.h"

#include <vector>

namespace sparserl::sim {

struct Region;

/// The addresses of one execution.
struct AddressLayoutDraw
{
    AddressPlan plan;
    std::vector<std::uint64_t> arrays; ///< Per buffer of the plan; multiples of 256.
};

/// The same seed yields the same addresses.
AddressLayoutDraw drawAddresses(const BoundPlan& plan, AddressLayout layout, std::uint64_t seed);

/// Finds the region of an address if the address alone does not identify it.
class AddressMap
{
public:
    static constexpr std::uint32_t nothing = ~0u;

    /// For regions that may grow to `variableBytes` (variables) and to the maximum size of constants.
    void build(const std::vector<Region>& regions, std::uint64_t variableBytes);
    bool active() const { return !m_places.empty(); }
    /// The region that contains the address, or the nearest one; `nothing` if none is near. `who`: equal for
    /// accesses that mostly use the same region.
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
