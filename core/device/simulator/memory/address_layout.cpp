// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/memory/address_layout.h"

#include "base/rng.h"
#include "device/simulator/memory/memory.h"

#include <algorithm>
#include <numeric>

namespace sparserl::sim {

namespace {

constexpr std::uint64_t alignment = 256;  ///< Of arrays, as on a GPU.
constexpr std::uint64_t zoneBytes = 4096; ///< At least so much lies between two arrays there.
constexpr std::uint64_t pageBytes = std::uint64_t(2) << 20; ///< Of a GPU's memory.
constexpr std::uint64_t sharedReserved = 1024; ///< Shared memory of a block that the system keeps (Hopper).
constexpr std::uint64_t windowBytes = std::uint64_t(1) << 24;

// Addresses as CUDA gives them on Linux begin with 0x7f.
constexpr std::uint64_t arraysFrom = 0x7f00'0000'0000, windowsFrom = 0x7f80'0000'0000;

std::uint64_t roundUp(std::uint64_t value, std::uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

std::uint64_t bytesOf(const BoundBuffer& buffer)
{
    // Sizes that are not possible are refused elsewhere.
    return static_cast<std::uint64_t>(
        std::clamp<std::int64_t>(buffer.count < 0 ? 0 : buffer.bytes(), 0, std::int64_t(1) << 33));
}

AddressPlan drawPlan(Rng& rng, std::uint64_t arrays)
{
    AddressPlan plan;
    plan.constants = arrays - pageBytes * (2 + rng.below(4096));
    plan.variables = plan.constants - pageBytes * (33 + rng.below(64));
    // Generic addresses of shared memory have a half of their own above the 32 bits of the others.
    plan.sharedWindow = windowsFrom + (rng.below(128) << 32);
    plan.localWindow = plan.sharedWindow + windowBytes;
    plan.below = 0;
    plan.span = windowBytes;
    plan.firstShared = sharedReserved;
    return plan;
}

/// As the arena of a GPU has them: in any order, inputs and outputs in one of several places, scratch in one
/// of several copies, with what lies between.
std::vector<std::uint64_t> placeTogether(const BoundPlan& plan, Rng& rng, std::uint64_t base)
{
    const bool single = rng.below(2) == 0;
    const std::uint64_t slots = single ? 1 : 1 + rng.below(8), windows = single ? 1 : 1 + rng.below(10),
                        outputs = single ? 1 : 8 + rng.below(73),
                        copies = single ? 1 : std::uint64_t(1) << rng.below(7);
    const std::uint64_t window = rng.below(windows);
    const bool even = rng.below(2) == 0;
    struct Area
    {
        std::size_t buffer = 0;
        bool used = false; ///< Else it is another slot's or copy's.
    };
    std::vector<Area> areas;
    for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
        const BoundBuffer& buffer = plan.buffers[b];
        const std::uint64_t times = buffer.role == BufferRole::Input                     ? slots
                                    : buffer.role == BufferRole::Output                  ? outputs
                                    : buffer.role == BufferRole::Scratch && !buffer.zero ? copies
                                                                                         : 1;
        for (std::uint64_t i = 0; i < times; ++i)
            areas.push_back({b, i == 0});
    }
    rng.shuffle(areas);
    std::vector<std::uint64_t> addresses(plan.buffers.size());
    std::uint64_t at = alignment * rng.below(256);
    for (const Area& area : areas) {
        const BoundBuffer& buffer = plan.buffers[area.buffer];
        const bool input = buffer.role == BufferRole::Input;
        at = roundUp(at + zoneBytes, alignment) + (even ? 0 : alignment * rng.below(64));
        if (area.used)
            addresses[area.buffer] = base + at + (input ? window * alignment : 0);
        at += bytesOf(buffer) + (input ? (windows - 1) * alignment : 0);
    }
    return addresses;
}

std::vector<std::uint64_t> placeFar(const BoundPlan& plan, Rng& rng, std::uint64_t end)
{
    std::vector<std::size_t> order(plan.buffers.size());
    std::iota(order.begin(), order.end(), 0);
    rng.shuffle(order);
    std::vector<std::uint64_t> addresses(order.size());
    std::uint64_t at = end;
    for (const std::size_t buffer : order) {
        // Odd, so that no two have more than their alignment in common.
        at -= roundUp(bytesOf(plan.buffers[buffer]), alignment) + (std::uint64_t(1) << 32) +
              alignment * (2 * rng.below(std::uint64_t(1) << 23) + 1);
        addresses[buffer] = at;
    }
    return addresses;
}

} // namespace

AddressLayoutDraw drawAddresses(const BoundPlan& plan, AddressLayout layout, std::uint64_t seed)
{
    Rng rng = Rng(seed).derive("addresses");
    AddressLayoutDraw draw;
    if (layout == AddressLayout::Apart) {
        // Their low bits say nothing either; 1 GiB more or less leaves room for any 32-bit index.
        for (std::size_t i = 0; i < plan.buffers.size(); ++i)
            draw.arrays.push_back(regionBase(bufferRegion(i)) +
                                  alignment * rng.below(std::uint64_t(1) << 22));
        return draw;
    }
    const std::uint64_t base = arraysFrom + pageBytes * (8192 + rng.below(std::uint64_t(1) << 17));
    draw.plan = drawPlan(rng, base);
    draw.arrays = layout == AddressLayout::Together
                      ? placeTogether(plan, rng, base)
                      : placeFar(plan, rng, draw.plan.variables - pageBytes * rng.below(4096));
    return draw;
}

void AddressMap::build(const std::vector<Region>& regions, std::uint64_t variableBytes)
{
    m_places.clear();
    m_last = {};
    for (std::uint32_t i = 0; i < regions.size(); ++i) {
        const std::uint64_t bytes = i == constantRegion   ? maxConstantBytes
                                    : i == variableRegion ? variableBytes
                                                          : regions[i].bytes;
        m_places.push_back({regions[i].base, bytes, i});
    }
    std::sort(m_places.begin(), m_places.end(),
              [](const Place& a, const Place& b) { return a.base < b.base; });
}

std::uint32_t AddressMap::regionOf(std::uint64_t address, const void* who) const
{
    std::uint32_t& last = m_last[(reinterpret_cast<std::uintptr_t>(who) >> 4) % m_last.size()];
    if (const Place& place = m_places[last]; address - place.base < place.bytes)
        return place.region;
    constexpr std::uint64_t near = std::uint64_t(1) << regionShift;
    const auto behind = std::upper_bound(m_places.begin(), m_places.end(), address,
                                         [](std::uint64_t a, const Place& place) { return a < place.base; });
    std::uint64_t distance = near;
    std::uint32_t nearest = nothing;
    if (behind != m_places.begin()) {
        const Place& before = *std::prev(behind);
        if (address - before.base < before.bytes) {
            last = static_cast<std::uint32_t>(std::prev(behind) - m_places.begin());
            return before.region;
        }
        if (address - before.base - before.bytes < distance) {
            distance = address - before.base - before.bytes;
            nearest = before.region;
        }
    }
    if (behind != m_places.end() && behind->base - address <= distance)
        nearest = behind->region;
    return nearest;
}

} // namespace sparserl::sim
