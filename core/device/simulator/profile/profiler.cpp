// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/profile/profiler.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sparserl::sim {

namespace {

constexpr std::size_t heatSlots = 1 << 14;

WorkCounts workOf(const BlockCost& cost)
{
    WorkCounts work{};
    for (const std::uint64_t count : cost.pipes)
        work[at(Work::Instructions)] += static_cast<double>(count);
    const auto pipe = [&](ptx::Pipe which) { return double(cost.pipes[static_cast<std::size_t>(which)]); };
    work[at(Work::Integer)] = pipe(ptx::Pipe::Integer);
    work[at(Work::Float)] = pipe(ptx::Pipe::Float);
    work[at(Work::Double)] = pipe(ptx::Pipe::Double);
    work[at(Work::Special)] = pipe(ptx::Pipe::Special);
    work[at(Work::Memory)] = pipe(ptx::Pipe::Memory) + double(cost.memoryWavefronts);
    work[at(Work::Shared)] = pipe(ptx::Pipe::Shared) + double(cost.sharedWavefronts);
    work[at(Work::Shuffle)] = pipe(ptx::Pipe::Shuffle);
    work[at(Work::L1Sectors)] = static_cast<double>(cost.l1Sectors);
    work[at(Work::L2Sectors)] = static_cast<double>(cost.l2Sectors);
    work[at(Work::DramSectors)] = static_cast<double>(cost.dramSectors);
    work[at(Work::Barriers)] = static_cast<double>(cost.barriers);
    return work;
}

/// How many addresses the lanes of a warp ask for.
int addressesOf(std::uint32_t mask, const std::uint32_t* offsets)
{
    std::array<std::uint32_t, lanesPerWarp> asked;
    int count = 0;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
        asked[static_cast<std::size_t>(count++)] = offsets[__builtin_ctz(rest)];
    std::sort(asked.begin(), asked.begin() + count);
    return static_cast<int>(std::unique(asked.begin(), asked.begin() + count) - asked.begin());
}

} // namespace

Profiler::Profiler(SimulatedMemory& memory, const KernelCode& code, const DeviceModel& model, bool counting,
                   std::int64_t sharedOfSm)
    : m_memory(memory)
    , m_model(model)
    , m_address(laneTable().addresses)
    , m_caches(laneTable().caches)
    , m_counting(counting)
{
    m_lines.resize(code.lines.size());
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        m_lines[i].line = code.lines[i];
    if (!counting)
        return;
    const std::int64_t l1 = std::max<std::int64_t>(model.l1Bytes - sharedOfSm, 16 << 10);
    m_l1.resize(model.smCount);
    for (SectorCache& cache : m_l1)
        cache.reset(l1, l1Ways);
    m_wordHeat.assign(heatSlots, 0);
    m_sectorHeat.assign(heatSlots, 0);
    m_smCost.resize(model.smCount);
    m_executed.assign(code.code.size(), 0);
}

int Profiler::sectorsOf(const Insn& insn, const AddressedMemory& target, std::uint32_t mask,
                        const std::uint32_t* offsets, std::uint32_t* sectors, int& wavefronts)
{
    const Region& region = *target.region;
    int count = 0;
    bool ascending = true;
    if (target.dense) {
        const std::uint32_t end = offsets[lanesPerWarp - 1] + std::uint32_t(insn.width) * insn.vector - 1;
        for (std::uint32_t sector = offsets[0] >> 5; sector <= end >> 5; ++sector)
            sectors[count++] = region.firstSector + sector;
        wavefronts = static_cast<int>((sectors[count - 1] >> 2) - (sectors[0] >> 2)) + 1;
    } else if (mask == allLanes) {
        count = m_caches.sectorsOf(offsets, region.firstSector, sectors, &wavefronts, &ascending);
    } else {
        std::uint32_t last = ~0u;
        for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
            const std::uint32_t sector = region.firstSector + (offsets[__builtin_ctz(rest)] >> 5);
            ascending = ascending && (count == 0 || sector >= last);
            sectors[count] = sector;
            count += sector != last;
            wavefronts += sector >> 2 != last >> 2;
            last = sector;
        }
    }
    if (!ascending) {
        count = m_caches.distinct(sectors, count, m_sectorTable.data(), ++m_sectorGeneration);
        wavefronts = std::min(wavefronts, count);
    }
    return count;
}

void Profiler::countAtomics(const Region& region, std::uint32_t mask, const std::uint32_t* offsets,
                            const std::uint32_t* sectors, int count)
{
    m_profile.atomicSectors += count;
    m_profile.atomicLanes += bitCount(mask);
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const std::uint32_t offset = offsets[__builtin_ctz(rest)];
        const std::uint32_t word = region.firstSector * 8 + (offset >> 2);
        ++m_wordHeat[(word * 2654435761u) >> 18];
    }
    for (int i = 0; i < count; ++i) // one request for each sector, however many lanes it serves
        ++m_sectorHeat[(sectors[i] * 2654435761u) >> 18];
}

void Profiler::accountGlobal(BlockCost& cost, const Insn& insn, const AddressedMemory& target,
                             std::uint32_t mask, const std::uint32_t* offsets, Traffic traffic,
                             Chain& latency)
{
    // Aligned accesses of at most 16 bytes lie in one sector each.
    std::uint32_t sectors[lanesPerWarp + 16], missed[lanesPerWarp];
    int wavefronts = 0; // 128-byte lines asked for one after another
    const int count = sectorsOf(insn, target, mask, offsets, sectors, wavefronts);
    // Constant memory serves one address at a time (CUDA C++ Programming Guide, Device Memory Accesses).
    if (insn.space == ptx::Space::Const)
        wavefronts = addressesOf(mask, offsets);
    LineCounters& line = m_lines[insn.lineIndex];
    line.globalSectors += count;
    int l1Hits = 0;
    const int l2Missed =
        insn.cachedL1 && traffic == Traffic::Read
            ? m_memory.l2.access(m_caches, m_l1[m_smOfBlock], sectors, count, missed, &l1Hits)
            : m_memory.l2.access(m_caches, sectors, count, missed);
    const int l2Asked = count - l1Hits, l2Hits = l2Asked - l2Missed;
    for (int i = 0; i < l2Missed; ++i) {
        std::uint64_t& seen = m_memory.touched[missed[i] / 64];
        const std::uint64_t bit = std::uint64_t(1) << (missed[i] % 64);
        m_profile.distinctSectors += (seen & bit) == 0 ? 1 : 0;
        seen |= bit;
    }
    line.l1Hits += l1Hits;
    line.l2Hits += l2Hits;
    line.dramSectors += l2Missed;
    cost.l1Sectors += static_cast<std::uint64_t>(count);
    cost.l2Sectors += static_cast<std::uint64_t>(l2Asked);
    cost.dramSectors += static_cast<std::uint64_t>(l2Missed);
    const int further = std::max(wavefronts - 1, 0);
    cost.memoryWavefronts += static_cast<std::uint64_t>(further);
    if (traffic == Traffic::Atomic)
        countAtomics(*target.region, mask, offsets, sectors, count);
    else if (traffic == Traffic::Write)
        m_profile.storeSectors += count;
    float steps[Chain::size];
    latency.store(steps);
    steps[at(Step::Load)] = 1;
    steps[at(Step::BeyondL1)] = std::max(steps[at(Step::BeyondL1)], l2Asked ? 1.0f : 0.0f);
    steps[at(Step::BeyondL2)] = std::max(steps[at(Step::BeyondL2)], l2Missed ? 1.0f : 0.0f);
    steps[at(Step::Wavefront)] += static_cast<float>(further);
    latency.load(steps);
}

int Profiler::sharedPasses(std::uint32_t width, std::uint32_t mask, const std::uint32_t* offsets) const
{
    if (mask == allLanes && width == 4 && m_address.contiguous(offsets, 4))
        return 1;
    // 32 banks of 4 bytes; wide accesses go by halves or quarters of the warp.
    const int lanesTogether = width <= 4 ? 32 : width == 8 ? 16 : 8;
    int passes = 0;
    for (int first = 0; first < lanesPerWarp; first += lanesTogether) {
        std::uint32_t held[32][4];
        std::uint8_t count[32] = {};
        int most = 0;
        for (int l = first; l < first + lanesTogether; ++l) {
            if (!((mask >> l) & 1))
                continue;
            for (std::uint32_t word = offsets[l] / 4; word <= (offsets[l] + width - 1) / 4; ++word) {
                const std::uint32_t bank = word % 32;
                bool seen = false;
                for (int k = 0; k < std::min<int>(count[bank], 4); ++k)
                    seen = seen || held[bank][k] == word;
                if (seen)
                    continue;
                if (count[bank] < 4)
                    held[bank][count[bank]] = word;
                ++count[bank];
                most = std::max<int>(most, count[bank]);
            }
        }
        passes += most;
    }
    return passes;
}

void Profiler::accountShared(BlockCost& cost, const Insn& insn, std::uint32_t mask,
                             const std::uint32_t* offsets, Chain& latency)
{
    latency.join(oneStep(Step::Shared));
    const std::uint32_t width = std::uint32_t(insn.width) * insn.vector;
    const int passes = sharedPasses(width, mask, offsets);
    const int expected = width <= 4 ? 1 : static_cast<int>(width / 4);
    const int extra = std::max(0, passes - expected);
    m_lines[insn.lineIndex].bankConflicts += extra;
    cost.sharedWavefronts += static_cast<std::uint64_t>(std::max(passes - 1, 0));
    latency.set(Step::Wavefront, latency[Step::Wavefront] + static_cast<float>(std::max(passes - 1, 0)));
}

void Profiler::accountSharedAtomics(BlockCost& cost, const Insn& insn, std::uint32_t mask,
                                    const std::uint32_t* offsets, Chain& latency)
{
    accountShared(cost, insn, mask, offsets, latency);
    // On one word they go one after another.
    int same = 0;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
        same += offsets[__builtin_ctz(rest)] == offsets[__builtin_ctz(mask)];
    latency.set(Step::Wavefront, latency[Step::Wavefront] + static_cast<float>(2 * same));
    cost.sharedWavefronts += static_cast<std::uint64_t>(same - 1);
}

void Profiler::accountSharedLoop(BlockCost& cost, const Insn& insn, std::uint32_t mask,
                                 const std::uint32_t* offsets, Chain& latency)
{
    // In which round each lane succeeds.
    std::array<std::uint32_t, lanesPerWarp> lanesOfRound{};
    int rounds = 0;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        int before = 0;
        for (std::uint32_t others = mask & ((1u << l) - 1); others; others &= others - 1)
            before += offsets[__builtin_ctz(others)] == offsets[l] ? 1 : 0;
        lanesOfRound[before] |= 1u << l;
        rounds = std::max(rounds, before + 1);
    }
    const ptx::Pipe operation = insn.type == ptx::Type::F64                              ? ptx::Pipe::Double
                                : ptx::isFloat(insn.type) || insn.type >= ptx::Type::F16 ? ptx::Pipe::Float
                                                                                         : ptx::Pipe::Integer;
    // A load, the operation, the swap, a comparison and a branch; the swap has been counted once.
    const auto count = [&](ptx::Pipe pipe, int instructions) {
        cost.pipes[static_cast<std::size_t>(pipe)] += static_cast<std::uint64_t>(instructions);
    };
    count(ptx::Pipe::Shared, rounds);
    count(operation, rounds);
    count(insn.pipe, rounds - 1);
    count(ptx::Pipe::Integer, rounds);
    count(ptx::Pipe::Control, rounds);
    std::uint32_t left = mask;
    int wavefronts = 0;
    std::uint64_t further = 0;
    for (int round = 0; round < rounds; ++round) {
        const int more = std::max(sharedPasses(insn.width, left, offsets) - 1, 0);
        const int same = rounds - round; // of the word with the most lanes, which a swap takes one by one
        wavefronts += 2 * more + 2 * same;
        further += static_cast<std::uint64_t>(2 * more + same - 1);
        left &= ~lanesOfRound[round];
    }
    cost.sharedWavefronts += further;
    const auto times = static_cast<float>(rounds);
    Chain loop;
    loop.set(Step::Clocks,
             times * static_cast<float>(ptx::latencyOf(operation) + ptx::latencyOf(ptx::Pipe::Integer)));
    loop.set(Step::Shared, 2 * times);
    loop.set(Step::Wavefront, static_cast<float>(wavefronts));
    latency.join(loop);
}

void Profiler::finishBlock(std::uint32_t block, const BlockCost& cost, const Chain& slowest, float clocks)
{
    const int bucket = static_cast<int>(std::floor(std::log(std::max(clocks, 1.0f)) / std::log(1.25f)));
    const auto [found, added] = m_classes.try_emplace(bucket);
    BlockClass& group = found->second;
    const double number = block;
    group.first = added ? number : std::min(group.first, number);
    group.last = std::max(group.last, number);
    group.count += 1;
    float steps[Chain::size];
    slowest.store(steps);
    for (std::size_t i = 0; i < group.steps.size(); ++i)
        group.steps[i] += static_cast<double>(steps[i]);
    BlockCost& sm = m_smCost[m_smOfBlock];
    for (std::size_t i = 0; i < cost.pipes.size(); ++i) {
        sm.pipes[i] += cost.pipes[i];
        group.instructions += static_cast<double>(cost.pipes[i]);
    }
    sm.memoryWavefronts += cost.memoryWavefronts;
    sm.sharedWavefronts += cost.sharedWavefronts;
    sm.l1Sectors += cost.l1Sectors;
    sm.l2Sectors += cost.l2Sectors;
    sm.dramSectors += cost.dramSectors;
    sm.barriers += cost.barriers;
}

void Profiler::finishProfile()
{
    for (auto& [bucket, group] : m_classes) {
        for (double& step : group.steps)
            step /= group.count;
        group.instructions /= group.count;
        m_profile.classes.push_back(group);
    }
    double most = -1;
    for (const BlockCost& sm : m_smCost) {
        const WorkCounts work = workOf(sm);
        for (std::size_t i = 0; i < work.size(); ++i)
            m_profile.total[i] += work[i];
        // Clocks that the units of a typical SM need.
        const double clocks =
            std::max({work[at(Work::Instructions)] / 4, work[at(Work::Memory)], work[at(Work::L1Sectors)] / 4,
                      work[at(Work::L2Sectors)] / 2, work[at(Work::Shared)] + work[at(Work::Shuffle)],
                      work[at(Work::Special)] * 2});
        if (clocks > most) {
            most = clocks;
            m_profile.busiest = work;
        }
    }
    for (const std::uint32_t heat : m_wordHeat)
        m_profile.hottestWord = std::max<double>(m_profile.hottestWord, heat);
    for (const std::uint32_t heat : m_sectorHeat)
        m_profile.hottestSector = std::max<double>(m_profile.hottestSector, heat);
    m_profile.codeInstructions = static_cast<int>(std::count(m_executed.begin(), m_executed.end(), 1));
}

LaunchStatistics Profiler::finish()
{
    if (m_counting)
        finishProfile();
    LaunchStatistics statistics;
    statistics.lines = std::move(m_lines);
    statistics.profile = std::move(m_profile);
    return statistics;
}

} // namespace sparserl::sim
