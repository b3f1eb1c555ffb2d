// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "device/simulator/decode/address_space.h"

#include <vector>

namespace sparserl::sim {

struct Region;

/// The addresses in one execution.
struct AddressLayoutDraw
{
    AddressPlan plan;
    std::vector<std::uint64_t> arrays; ///< One address per buffer of the plan. All are multiples of 256.
};

/// Draws the addresses for an execution. The same seed yields the same addresses.
AddressLayoutDraw drawAddresses(const BoundPlan& plan, AddressLayout layout, std::uint64_t seed);

/// Finds the region of an address in layouts where the address alone does not identify it.
class AddressMap
{
public:
    static constexpr std::uint32_t nothing = ~0u;

    /// Builds the map. It has room for .global variables of up to `variableBytes`, and for constants of the
    /// maximum size.
    void build(const std::vector<Region>& regions, std::uint64_t variableBytes);
    bool active() const { return !m_places.empty(); }
    /// Returns the region that contains the address, or the nearest region, or `nothing` if no region is
    /// near. Accesses that mostly use the same region should pass the same `who`, which makes the search
    /// faster.
    std::uint32_t regionOf(std::uint64_t address, const void* who) const;

private:
    struct Place
    {
        std::uint64_t base = 0, bytes = 0;
        std::uint32_t region = 0;
    };

    std::vector<Place> m_places; ///< In order of addresses.
    mutable std::array<std::uint32_t, 256> m_last{};
};

} // namespace sparserl::sim
