// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/arena.h"

#include "base/rng.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace sparserl::cuda {

namespace {

constexpr std::int64_t alignment = 256;
constexpr std::int64_t zoneBytes = 4096;
constexpr std::uint32_t wholeZone = 0xffffffffu; ///< Of the check: no byte is broken.
constexpr double usableShare = 0.9;              ///< Of the GPU's memory: the context takes some.

/// Numbers whose highest bit is their sign.
bool hasSigns(ElementType type)
{
    return type == ElementType::F32 || type == ElementType::F64;
}

} // namespace

std::size_t Arena::areaOf(int buffer, const Place& place) const
{
    const auto index = static_cast<std::size_t>(buffer);
    const BoundBuffer& bound = m_plan->buffers[index];
    return m_firstArea[index] + static_cast<std::size_t>(bound.role == BufferRole::Input    ? place.slot
                                                         : bound.role == BufferRole::Output ? place.output
                                                         : copied(bound)                    ? place.copy
                                                                                            : 0);
}

int Arena::timesOf(const BoundBuffer& buffer, const ArenaShape& shape)
{
    return buffer.role == BufferRole::Input    ? shape.slots
           : buffer.role == BufferRole::Output ? shape.outputs
           : copied(buffer)                    ? shape.copies
                                               : 1;
}

CUdeviceptr Arena::address(int buffer, const Place& place) const
{
    const bool input = m_plan->buffers[static_cast<std::size_t>(buffer)].role == BufferRole::Input;
    return m_areas[areaOf(buffer, place)].address +
           (input ? static_cast<CUdeviceptr>(place.window) * windowBytes : 0);
}

std::optional<Fault> Arena::problem(const Gpu& gpu, const BoundPlan& plan, const ArenaShape& shape,
                                    double more)
{
    double bytes = more;
    for (const BoundBuffer& buffer : plan.buffers)
        bytes += static_cast<double>(buffer.bytes()) * timesOf(buffer, shape);
    if (bytes <= usableShare * static_cast<double>(gpu.info().memoryBytes))
        return std::nullopt;
    Fault fault;
    fault.kind = FaultKind::LaunchError;
    fault.message = fmt::format("the arrays of this program take {:.1f} MiB, and the GPU has {:.1f}",
                                bytes / (1 << 20), static_cast<double>(gpu.info().memoryBytes) / (1 << 20));
    return fault;
}

Result<Arena> Arena::make(Gpu& gpu, const BoundPlan& plan, ArenaShape shape, std::uint64_t seed)
{
    Arena arena(gpu, plan);
    arena.m_shape = shape;
    Rng rng(seed);
    // Never the same addresses twice, also in memory that is used again.
    std::int64_t at = alignment * static_cast<std::int64_t>(rng.below(256));
    const std::int64_t begin = at;
    for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
        const BoundBuffer& buffer = plan.buffers[b];
        if (buffer.count < 0 || buffer.bytes() > (std::int64_t(1) << 40))
            return fail(fmt::format("the array '{}' has no possible size", buffer.name));
        if (buffer.role == BufferRole::Matrix &&
            buffer.data.size() != static_cast<std::size_t>(buffer.bytes()))
            return fail(fmt::format("the array '{}' has {} bytes, not {}", buffer.name, buffer.data.size(),
                                    buffer.bytes()));
        const bool input = buffer.role == BufferRole::Input;
        const int times = timesOf(buffer, shape);
        const std::int64_t bytes =
            buffer.bytes() + (input ? std::int64_t(shape.windows - 1) * windowBytes : 0);
        arena.m_firstArea.push_back(arena.m_areas.size());
        for (int s = 0; s < times; ++s)
            arena.m_areas.push_back({static_cast<int>(b), s, 0, bytes});
    }
    // In any order: distances between arrays say nothing.
    arena.m_order.resize(arena.m_areas.size());
    std::iota(arena.m_order.begin(), arena.m_order.end(), 0);
    rng.shuffle(arena.m_order);
    std::vector<std::int64_t> offsets;
    for (const std::size_t a : arena.m_order) {
        at = roundUp(at + zoneBytes, alignment);
        offsets.push_back(at);
        at += arena.m_areas[a].bytes;
    }
    const std::int64_t end = at + zoneBytes;
    SPARSERL_TRY(auto memory, gpu.allocate(end, "the arrays of this program"));
    arena.m_memory = std::move(memory);
    const CUdeviceptr base = arena.m_memory.address();
    std::int64_t from = begin;
    for (std::size_t a = 0; a <= arena.m_areas.size(); ++a) {
        const std::int64_t to = a < arena.m_areas.size() ? offsets[a] : end;
        arena.m_zones.push_back(
            {base + static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to - from)});
        if (a < arena.m_areas.size()) {
            Area& area = arena.m_areas[arena.m_order[a]];
            area.address = base + static_cast<CUdeviceptr>(to);
            from = to + area.bytes;
        }
    }
    SPARSERL_CHECK(arena.reserveChecks());
    arena.m_zoneSeed = rng.next();
    void* arguments[] = {&arena.m_zoneTable, &arena.m_zoneSeed};
    SPARSERL_CHECK(gpu.launchHelper(gpu.helpers().zoneFill, static_cast<unsigned>(arena.m_zones.size()), 256,
                                    arguments, "marking the space between arrays"));
    for (const Area& area : arena.m_areas) {
        const BoundBuffer& buffer = plan.buffers[static_cast<std::size_t>(area.buffer)];
        if (buffer.role != BufferRole::Matrix)
            continue;
        SPARSERL_CHECK(gpu.upload(area.address, buffer.data.data(), buffer.data.size()));
    }
    return arena;
}

/// Tables and results of the checks, in one block.
Status Arena::reserveChecks()
{
    const auto areaTable = static_cast<std::int64_t>(m_areas.size() * sizeof(Range));
    const auto zoneTable = static_cast<std::int64_t>(m_zones.size() * sizeof(Range));
    const auto zoneResults = roundUp(static_cast<std::int64_t>(m_zones.size() * sizeof(std::uint32_t)), 8);
    auto memory = m_gpu->allocate(areaTable + zoneTable + zoneResults, "checking this program");
    if (!memory)
        return fail(memory.error());
    m_checks = std::move(*memory);
    m_areaTable = m_checks.address();
    m_zoneTable = m_areaTable + static_cast<CUdeviceptr>(areaTable);
    m_zoneResults = m_zoneTable + static_cast<CUdeviceptr>(zoneTable);
    SPARSERL_TRY(auto sums, Checksums::make(*m_gpu, m_areas.size()));
    m_sums.emplace(std::move(sums));
    std::vector<Range> areas;
    for (const Area& area : m_areas)
        areas.push_back({area.address, static_cast<std::uint64_t>(area.bytes)});
    SPARSERL_CHECK(m_gpu->upload(m_areaTable, areas.data(), areas.size() * sizeof(Range)));
    return m_gpu->upload(m_zoneTable, m_zones.data(), m_zones.size() * sizeof(Range));
}

Status Arena::upload(int buffer, const Place& place, std::span<const std::byte> values, std::uint64_t seed)
{
    const Area& area = m_areas[areaOf(buffer, place)];
    const std::size_t before = static_cast<std::size_t>(place.window) * windowBytes, count = values.size(),
                      after = static_cast<std::size_t>(area.bytes) - before - count;
    if (auto ok = m_gpu->upload(area.address + before, values.data(), count); !ok || count == 0)
        return ok;
    std::vector<std::byte> around(before + after);
    for (std::size_t i = 0; i < before; ++i)
        around[i] = values[(count - 1) - (before - 1 - i) % count];
    for (std::size_t i = 0; i < after; ++i)
        around[before + i] = values[i % count];
    // As between the samples of a timing, where signs of all elements change: what lies around an input says
    // nothing.
    Rng rng(seed);
    const ElementType type = m_plan->buffers[static_cast<std::size_t>(buffer)].type;
    if (seed != 0 && hasSigns(type))
        for (std::size_t i = sizeOf(type) - 1; i < around.size(); i += sizeOf(type))
            around[i] ^= rng.chance(0.5) ? std::byte(0x80) : std::byte(0);
    SPARSERL_CHECK(m_gpu->upload(area.address, around.data(), before));
    return m_gpu->upload(area.address + before + count, around.data() + before, after);
}

Status Arena::download(int buffer, const Place& place, std::span<std::byte> values)
{
    return m_gpu->download(values.data(), m_areas[areaOf(buffer, place)].address, values.size());
}

Status Arena::repeat(int buffer, int from, int to)
{
    const Area& area = m_areas[areaOf(buffer, {from, 0, 0})];
    if (area.bytes == 0)
        return {};
    return m_gpu->check(m_gpu->api().memcpyDtoDAsync(address(buffer, {to, 0, 0}), area.address,
                                                     static_cast<std::size_t>(area.bytes), m_gpu->stream()),
                        "copying within it");
}

Status Arena::fill(const Area& area, unsigned word)
{
    const auto words = static_cast<std::size_t>(area.bytes / 4),
               rest = static_cast<std::size_t>(area.bytes % 4);
    if (words) {
        SPARSERL_CHECK(m_gpu->check(m_gpu->api().memsetD32Async(area.address, word, words, m_gpu->stream()),
                                    "filling memory"));
    }
    if (rest)
        return m_gpu->check(m_gpu->api().memsetD8Async(area.address + 4 * words,
                                                       static_cast<unsigned char>(word), rest,
                                                       m_gpu->stream()),
                            "filling memory");
    return {};
}

Status Arena::poison(int buffer, const Place& place, std::uint64_t seed)
{
    const std::size_t area = areaOf(buffer, place);
    if (m_areas[area].bytes == 0)
        return {};
    CUdeviceptr table = m_areaTable + area * sizeof(Range);
    void* arguments[] = {&table, &seed};
    return m_gpu->launchHelper(m_gpu->helpers().poison,
                               m_gpu->blocksFor(static_cast<std::uint64_t>(m_areas[area].bytes) / 4), 256,
                               arguments, "filling memory");
}

Status Arena::zero(int buffer, const Place& place)
{
    return fill(m_areas[areaOf(buffer, place)], 0);
}

std::vector<Range> Arena::writable() const
{
    std::vector<Range> ranges;
    for (const Area& area : m_areas) {
        const BoundBuffer& buffer = m_plan->buffers[static_cast<std::size_t>(area.buffer)];
        if (area.bytes > 0 && (copied(buffer) || buffer.role == BufferRole::Output))
            ranges.push_back({area.address, static_cast<std::uint64_t>(area.bytes)});
    }
    return ranges;
}

InputRanges Arena::inputs() const
{
    InputRanges inputs;
    for (const Area& area : m_areas) {
        const BoundBuffer& buffer = m_plan->buffers[static_cast<std::size_t>(area.buffer)];
        if (buffer.role != BufferRole::Input || !hasSigns(buffer.type))
            continue;
        inputs.type = buffer.type;
        inputs.ranges.push_back({area.address, static_cast<std::uint64_t>(area.bytes) / sizeOf(buffer.type)});
    }
    return inputs;
}

/// `firstBroken`: of each zone, the first byte that is not as it was.
std::optional<std::string> Arena::brokenZone(const std::vector<std::uint32_t>& firstBroken) const
{
    const std::size_t count = m_zones.size();
    for (std::size_t z = 0; z < count; ++z) {
        if (firstBroken[z] == wholeZone)
            continue;
        const auto at = static_cast<std::int64_t>(firstBroken[z]),
                   size = static_cast<std::int64_t>(m_zones[z].size);
        // The nearer neighbour is the likelier culprit.
        const bool behind = z > 0 && (z == count - 1 || at < size / 2);
        const BoundBuffer& buffer =
            m_plan->buffers[static_cast<std::size_t>(m_areas[m_order[behind ? z - 1 : z]].buffer)];
        const auto element = static_cast<std::int64_t>(sizeOf(buffer.type));
        const std::int64_t index =
            behind ? buffer.count + at / element : -((size - at + element - 1) / element);
        return fmt::format("a write outside every array, at {}[{}], which has {} elements", buffer.name,
                           index, buffer.count);
    }
    return std::nullopt;
}

Status Arena::noteReadOnly(bool prepared)
{
    m_watched.clear();
    std::vector<Range> table;
    for (std::size_t a = 0; a < m_areas.size(); ++a) {
        const BufferRole role = m_plan->buffers[static_cast<std::size_t>(m_areas[a].buffer)].role;
        if (role != BufferRole::Matrix && role != BufferRole::Input &&
            !(prepared && role == BufferRole::Prepared))
            continue;
        // The last word may hold a few bytes of the zone behind, which do not change either.
        const auto words = static_cast<std::uint64_t>((m_areas[a].bytes + 3) / 4);
        m_watched.push_back(a);
        table.push_back({m_areas[a].address, words});
    }
    return m_sums->note(table);
}

std::string forbiddenWrite(std::string_view name)
{
    return fmt::format("a write to '{}', which may only be read here", name);
}

Result<std::optional<std::string>> Arena::damage()
{
    const std::size_t count = m_zones.size();
    SPARSERL_CHECK(m_gpu->check(m_gpu->api().memsetD32Async(m_zoneResults, wholeZone, count, m_gpu->stream()),
                                checking));
    void* arguments[] = {&m_zoneTable, &m_zoneSeed, &m_zoneResults};
    SPARSERL_CHECK(m_gpu->launchHelper(m_gpu->helpers().zoneCheck, static_cast<unsigned>(count), 256,
                                       arguments, checking));
    SPARSERL_CHECK(m_sums->ask());
    std::vector<std::uint32_t> firstBroken(count);
    SPARSERL_CHECK(fetchChecked(*m_gpu, firstBroken.data(), m_zoneResults, count * sizeof(std::uint32_t)));
    if (auto broken = brokenZone(firstBroken))
        return broken;
    SPARSERL_TRY(const auto changed, m_sums->firstChanged());
    if (!changed)
        return std::optional<std::string>();
    return std::optional(
        forbiddenWrite(m_plan->buffers[static_cast<std::size_t>(m_areas[m_watched[*changed]].buffer)].name));
}

} // namespace sparserl::cuda
