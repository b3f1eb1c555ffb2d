// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <set>

namespace sparserl::sim {

namespace {

constexpr std::uint32_t quantumFast = 4096;    ///< Instructions of a warp in a row without race checks.
constexpr std::uint64_t blockSlice = 1u << 18; ///< Instructions of a block before others get a turn.
constexpr std::size_t maxActiveBlocks = 8192;  ///< More than any GPU has resident.
constexpr std::int64_t maxActiveBytes = std::int64_t(1) << 30;
constexpr std::size_t heatSlots = 1 << 14;
constexpr float branchClocks = 6;
constexpr int lateMost = 4;            ///< Blocks held back, one after another.
constexpr std::uint64_t lateShare = 8; ///< Part of the steps after which none is held back any more.
constexpr int lateWarpTurns = 32;      ///< Turns of its block for which a warp is held back at most.
constexpr std::uint32_t patience = (1u << 16) - 1; ///< Iterations before others of the warp get a turn.

std::uint32_t* words(std::byte* registers, std::uint32_t slot)
{
    return reinterpret_cast<std::uint32_t*>(registers + slot);
}
std::uint64_t* doubles(std::byte* registers, std::uint32_t slot)
{
    return reinterpret_cast<std::uint64_t*>(registers + slot);
}

} // namespace

LaunchOutcome runLaunch(SimulatedMemory& memory, const LaunchSetup& setup)
{
    return Interpreter(memory, setup).run();
}

Interpreter::Interpreter(SimulatedMemory& memory, const LaunchSetup& setup)
    : m_memory(memory)
    , m_setup(setup)
    , m_code(*setup.code)
    , m_insns(setup.code->code.data())
    , m_address(laneTable().addresses)
    , m_caches(laneTable().caches)
    , m_level(setup.checks == Checks::None       ? 0
              : setup.checks == Checks::Counters ? 1
                                                 : 2)
    , m_shuffled(m_level == 2 && !setup.inOrder)
    , m_warpsPerBlock(static_cast<int>((setup.block[0] * setup.block[1] * setup.block[2] + lanesPerWarp - 1) /
                                       lanesPerWarp))
    , m_threads(setup.block[0] * setup.block[1] * setup.block[2])
    , m_sharedBytes(setup.code->staticShared + setup.dynamicShared)
    , m_random(setup.seed * 0x9e3779b97f4a7c15u + setup.launchNumber * 0xbf58476d1ce4e5b9u + 1)
    , m_stepsLeft(setup.stepBudget)
    , m_races(m_warpsPerBlock, static_cast<std::uint64_t>(setup.grid[0] * setup.grid[1] * setup.grid[2]),
              setup.code->blockScope)
{
    if (!m_random)
        m_random = 1;
    for (int i = 0; i < 8; ++i)
        random();
    m_lines.resize(m_code.lines.size());
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        m_lines[i].line = m_code.lines[i];
    if (m_level >= 1) {
        const DeviceModel& model = *setup.model;
        const std::int64_t shared = (m_sharedBytes + model.sharedPerBlockReserved) * setup.blocksPerSm;
        const std::int64_t l1 = std::max<std::int64_t>(model.l1Bytes - shared, 16 << 10);
        m_l1.resize(model.smCount);
        for (SectorCache& cache : m_l1)
            cache.reset(l1, l1Ways);
        m_wordHeat.assign(heatSlots, 0);
        m_sectorHeat.assign(heatSlots, 0);
        m_smCost.resize(model.smCount);
        m_executed.assign(m_code.code.size(), 0);
    }
}

std::unique_ptr<BlockContext> Interpreter::makeContext()
{
    auto block = std::make_unique<BlockContext>();
    const std::size_t bytes = (m_code.registerBytes + 63) / 64 * 64;
    block->registers.reset(bytes * m_warpsPerBlock + 64);
    auto* base = reinterpret_cast<std::byte*>(
        (reinterpret_cast<std::uintptr_t>(block->registers.data()) + 63) / 64 * 64);
    block->shared.resize(m_sharedBytes + 16);
    block->local.reset(m_code.localBytes * m_warpsPerBlock * lanesPerWarp + 16);
    if (m_code.localBytes)
        block->localWritten.reset(block->local.size());
    block->warps.resize(m_warpsPerBlock);
    if (m_level == 2) {
        block->sharedWritten.reset(m_sharedBytes);
        block->sharedHistory.resize(m_sharedBytes / 4 + 1);
    }
    for (int w = 0; w < m_warpsPerBlock; ++w) {
        Warp& warp = block->warps[w];
        warp.index = w;
        warp.registers = base + bytes * w;
        warp.ready.assign(m_level ? m_code.scoreboardSize : 0, Chain());
        for (const KernelCode::Constant& constant : m_code.constants) {
            if (constant.wide)
                std::fill_n(doubles(warp.registers, constant.offset), lanesPerWarp, constant.bits);
            else
                std::fill_n(words(warp.registers, constant.offset), lanesPerWarp,
                            static_cast<std::uint32_t>(constant.bits));
        }
        for (const KernelCode::ParamUse& use : m_code.paramUses) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, m_setup.params.data() + use.at, use.bytes);
            if (use.sign && use.bytes < 8 && (bits >> (8 * use.bytes - 1)) & 1)
                bits |= ~std::uint64_t(0) << (8 * use.bytes);
            if (use.wide)
                std::fill_n(doubles(warp.registers, use.offset), lanesPerWarp, bits);
            else
                std::fill_n(words(warp.registers, use.offset), lanesPerWarp,
                            static_cast<std::uint32_t>(bits));
        }
        using S = ptx::SpecialRegister;
        for (int l = 0; l < lanesPerWarp; ++l) {
            const std::array<std::int64_t, 3> thread = threadOf(warp, l);
            const std::uint32_t bit = 1u << l;
            auto put = [&](S which, std::uint64_t value) {
                const std::uint32_t slot = m_code.specials[static_cast<std::size_t>(which)];
                if (slot != noSlot)
                    words(warp.registers, slot)[l] = static_cast<std::uint32_t>(value);
            };
            put(S::TidX, thread[0]);
            put(S::TidY, thread[1]);
            put(S::TidZ, thread[2]);
            put(S::NtidX, m_setup.block[0]);
            put(S::NtidY, m_setup.block[1]);
            put(S::NtidZ, m_setup.block[2]);
            put(S::NctaidX, m_setup.grid[0]);
            put(S::NctaidY, m_setup.grid[1]);
            put(S::NctaidZ, m_setup.grid[2]);
            put(S::LaneId, l);
            put(S::LanemaskEq, bit);
            put(S::LanemaskLt, bit - 1);
            put(S::LanemaskLe, bit | (bit - 1));
            put(S::LanemaskGe, ~(bit - 1));
            put(S::LanemaskGt, ~(bit | (bit - 1)));
        }
    }
    return block;
}

void Interpreter::startBlock(BlockContext& block, std::uint32_t number)
{
    block.number = number;
    block.index = {number % m_setup.grid[0], number / m_setup.grid[0] % m_setup.grid[1],
                   number / (m_setup.grid[0] * m_setup.grid[1])};
    block.barriers = {};
    block.cost = {};
    block.ended = 0;
    block.ticket = false;
    block.now = 0;
    block.nextWarp = m_shuffled ? random() % m_warpsPerBlock : 0;
    block.generation = ++m_generation;
    chooseLateWarp(block);
    if (m_level == 2) {
        block.clock.reset(number, m_warpsPerBlock);
        block.sharedWritten.clear();
    }
    block.localWritten.clear();
    // What another block left behind must not look like a result.
    const std::uint32_t nothing =
        0x7fc00001u |
        static_cast<std::uint32_t>((m_setup.seed * 0x9e3779b97f4a7c15u + number * 0x632be5abu) >> 42);
    auto* const sharedWords = reinterpret_cast<std::uint32_t*>(block.shared.data());
    std::fill_n(sharedWords, block.shared.size() / 4, nothing);
    // Blocks must not be free because they do nothing but begin.
    const std::uint64_t cost = static_cast<std::uint64_t>(m_sharedBytes) / 16384 +
                               m_code.unwritten.size() * static_cast<std::uint64_t>(m_warpsPerBlock) / 64;
    m_stepsLeft -= std::min(m_stepsLeft, cost);
    for (Warp& warp : block.warps) {
        const std::int64_t lanes =
            std::min<std::int64_t>(m_threads - std::int64_t(warp.index) * lanesPerWarp, lanesPerWarp);
        warp.live = warp.mask = lanes >= 32 ? allLanes : (1u << lanes) - 1;
        warp.pc = 0;
        warp.reconverge = static_cast<std::uint32_t>(m_code.code.size());
        warp.stack.clear();
        warp.spinCount = 0;
        warp.spun = false;
        warp.backward = 0;
        warp.state = WarpState::Ready;
        poison(block, warp);
        warp.time = {};
        m_pendingCopies -= warp.copies.size();
        warp.copies.clear();
        warp.copyGroups.fill(0);
        warp.copied = {};
        for (int axis = 0; axis < 3; ++axis) {
            const std::uint32_t slot =
                m_code.specials[static_cast<std::size_t>(ptx::SpecialRegister::CtaidX) + axis];
            if (slot != noSlot)
                std::fill_n(words(warp.registers, slot), lanesPerWarp,
                            static_cast<std::uint32_t>(block.index[axis]));
        }
    }
}

void Interpreter::chooseLateWarp(BlockContext& block)
{
    block.lateTurns = 0;
    block.lateWarp = m_shuffled && m_warpsPerBlock > 1 && (random() & 3) == 0
                         ? static_cast<int>(random() % static_cast<std::uint64_t>(m_warpsPerBlock))
                         : -1;
}

namespace {

/// Blocks that have begun and are not running, in the order in which they stopped.
class Waiting
{
public:
    std::size_t size() const { return m_blocks.size() + m_parked.size(); }
    bool firstHasTicket() const { return !parkedIsNext() && m_blocks.begin()->second->ticket; }
    void add(std::unique_ptr<BlockContext> block)
    {
        if (block->preempted && !block->ticket) {
            // Every other block gets a few turns before.
            const std::uint64_t until = m_taken + 4 * size();
            m_parked.emplace_back(until, std::move(block));
            return;
        }
        if (block->ticket)
            m_tickets.emplace(block->now, m_next);
        m_blocks.emplace(m_next++, std::move(block));
    }
    std::unique_ptr<BlockContext> takeFirst()
    {
        ++m_taken;
        if (!parkedIsNext())
            return take(m_blocks.begin());
        std::unique_ptr<BlockContext> block = std::move(m_parked.front().second);
        m_parked.pop_front();
        return block;
    }
    /// Any; `which` chooses.
    std::unique_ptr<BlockContext> take(std::uint64_t which)
    {
        std::size_t at = which % size();
        if (at < m_blocks.size())
            return take(std::next(m_blocks.begin(), static_cast<std::ptrdiff_t>(at)));
        at -= m_blocks.size();
        std::unique_ptr<BlockContext> block = std::move(m_parked[at].second);
        m_parked.erase(m_parked.begin() + static_cast<std::ptrdiff_t>(at));
        return block;
    }
    /// Of those with tickets, the one that needed the least time; the first of several.
    std::unique_ptr<BlockContext> takeEarliest()
    {
        ++m_taken;
        return take(m_blocks.find(m_tickets.begin()->second));
    }

private:
    using Blocks = std::map<std::uint64_t, std::unique_ptr<BlockContext>>;
    bool parkedIsNext() const
    {
        return m_blocks.empty() || (!m_parked.empty() && m_parked.front().first <= m_taken);
    }
    std::unique_ptr<BlockContext> take(Blocks::iterator at)
    {
        if (at->second->ticket)
            m_tickets.erase({at->second->now, at->first});
        return std::move(m_blocks.extract(at).mapped());
    }
    Blocks m_blocks;
    std::set<std::pair<float, std::uint64_t>> m_tickets;
    std::deque<std::pair<std::uint64_t, std::unique_ptr<BlockContext>>> m_parked; ///< And until when.
    std::uint64_t m_next = 0, m_taken = 0;
};

} // namespace

void Interpreter::poison(BlockContext& block, Warp& warp) const
{
    std::uint64_t hash = (m_setup.seed * 0x9e3779b97f4a7c15u) ^
                         ((std::uint64_t(block.number) * 64 + static_cast<std::uint64_t>(warp.index) + 1) *
                          0xbf58476d1ce4e5b9u) ^
                         m_setup.launchNumber;
    for (const KernelCode::Unwritten& reg : m_code.unwritten) {
        hash = (hash ^ (hash >> 29)) * 0x94d049bb133111ebu + reg.offset;
        const auto seed = static_cast<std::uint32_t>(hash >> 32);
        if (reg.bytes == 0) {
            *words(warp.registers, reg.offset) = seed;
            continue;
        }
        // No number as a float of its size, far from any index as an integer; other for every lane.
        for (std::uint32_t l = 0; l < lanesPerWarp; ++l) {
            const std::uint32_t payload = (seed ^ (l * 0x9e3779b9u)) * 0x85ebca6bu >> 8 | 1;
            if (reg.bytes == 8)
                doubles(warp.registers, reg.offset)[l] =
                    0x7ff8000000000000u | std::uint64_t(payload) << 20 | payload;
            else
                words(warp.registers, reg.offset)[l] =
                    reg.bytes == 2 ? 0x7e00u | (payload & 0x1ff) : 0x7fc00000u | (payload & 0x3fffff);
        }
    }
}

LaunchOutcome Interpreter::run()
{
    const std::int64_t total = m_setup.grid[0] * m_setup.grid[1] * m_setup.grid[2];
    const std::int64_t resident = std::max<std::int64_t>(
        1, std::min<std::int64_t>(total, std::int64_t(m_setup.blocksPerSm) * m_setup.model->smCount));
    const std::int64_t warpBytes = std::int64_t(m_code.registerBytes) +
                                   std::int64_t(m_code.scoreboardSize) * std::int64_t(sizeof(Chain)) +
                                   m_code.localBytes * lanesPerWarp * 9 / 8 + 4096;
    const std::int64_t contextBytes = warpBytes * m_warpsPerBlock + m_sharedBytes * 14 + 4096;
    const std::int64_t active = std::max<std::int64_t>(
        1, std::min({resident, static_cast<std::int64_t>(maxActiveBlocks), maxActiveBytes / contextBytes}));
    std::vector<std::unique_ptr<BlockContext>> idle;
    Waiting waiting;
    std::vector<std::uint32_t> window;
    std::int64_t next = 0; ///< First block of the next window.
    std::size_t windowAt = 0;
    auto startNext = [&]() {
        if (windowAt == window.size()) {
            // Blocks that are resident together start in any order.
            const std::int64_t count = std::min<std::int64_t>(active, total - next);
            window.resize(count);
            for (std::int64_t i = 0; i < count; ++i)
                window[i] = static_cast<std::uint32_t>(next + i);
            if (m_shuffled) {
                for (std::int64_t i = count - 1; i > 0; --i)
                    std::swap(window[i], window[random() % (i + 1)]);
            }
            next += count;
            windowAt = 0;
        }
        if (idle.empty())
            idle.push_back(makeContext());
        std::unique_ptr<BlockContext> block = std::move(idle.back());
        idle.pop_back();
        startBlock(*block, window[windowAt++]);
        return block;
    };
    std::int64_t started = 0, finished = 0;
    std::size_t outOfTurn = 0;
    LateBlocks late;
    std::unique_ptr<BlockContext> held;
    const std::uint64_t lateSteps = m_stepsLeft - m_stepsLeft / lateShare;
    // Of two blocks, one that is late leaves none that meet: only in half of the runs.
    if (m_shuffled && active > 1 && (total > 2 || random() & 1))
        late.hold(static_cast<std::uint32_t>(random() % static_cast<std::uint64_t>(total)));
    while (finished < total) {
        std::unique_ptr<BlockContext> block;
        const std::int64_t others = static_cast<std::int64_t>(waiting.size());
        const bool mayStart = started < total && others + (held ? 1 : 0) < active;
        if (held &&
            ((others == 0 && started == total) || late.stuck(waiting.size()) || m_stepsLeft < lateSteps)) {
            block = std::move(held);
            late.release();
            // The next one is late for what follows, a second barrier for example.
            if (late.released() < lateMost && m_stepsLeft > lateSteps && others > 1) {
                held = waiting.take(random());
                late.hold(held->number);
            }
        } else if (mayStart) {
            block = startNext();
            ++started;
            if (block->number == late.number()) {
                held = std::move(block);
                continue;
            }
        } else {
            // Who waits for others goes in turn; who took a ticket from a queue, by the time it needed so
            // far: that is how a queue hands work to those that are done first.
            const bool byTime = m_level >= 1 && waiting.firstHasTicket() && ++outOfTurn < waiting.size();
            if (!byTime)
                outOfTurn = 0;
            block = byTime ? waiting.takeEarliest() : waiting.takeFirst();
        }
        const std::uint64_t changes = m_changes, steps = m_stepsLeft;
        const bool ended = runBlock(*block, blockSlice);
        if (m_fault)
            break;
        late.turn(ended || changes != m_changes || steps - m_stepsLeft >= blockSlice);
        if (ended) {
            finishBlock(*block);
            idle.push_back(std::move(block));
            ++finished;
            if ((finished & 63) == 0 && m_setup.cancel.cancelled())
                m_outcome.cancelled = true;
        } else {
            waiting.add(std::move(block));
            m_outcome.cancelled = m_outcome.cancelled || m_setup.cancel.cancelled();
        }
        if (m_outcome.cancelled)
            break;
    }
    m_outcome.fault = std::move(m_fault);
    m_outcome.statistics.steps = m_setup.stepBudget - m_stepsLeft;
    m_outcome.statistics.lines = std::move(m_lines);
    if (m_level >= 1)
        finishProfile();
    return std::move(m_outcome);
}

namespace {

float nominalNow(const BlockContext& block)
{
    float latest = 0;
    for (const Warp& warp : block.warps)
        latest = std::max(latest, nominalClocks(warp.time.last));
    return latest;
}

} // namespace

bool Interpreter::runBlock(BlockContext& block, std::uint64_t slice)
{
    const std::size_t count = block.warps.size();
    std::uint64_t spent = 0;
    m_smOfBlock = block.number % static_cast<std::uint32_t>(m_setup.model->smCount);
    block.ticket = false;
    while (block.ended < m_warpsPerBlock) {
        bool progress = false, waiting = true, preempted = false;
        for (std::size_t i = 0; i < count; ++i) {
            Warp& warp = block.warps[(block.nextWarp + i) % count];
            if (warp.state != WarpState::Ready || warp.index == block.lateWarp)
                continue;
            if (m_stepsLeft == 0) {
                fault(block, warp, m_insns[warp.pc], warp.mask ? __builtin_ctz(warp.mask) : 0,
                      FaultKind::Timeout, {});
                return false;
            }
            std::uint64_t quantum = m_shuffled ? 64 + (random() & 511) : quantumFast;
            quantum = std::min(quantum, m_stepsLeft);
            const std::uint64_t before = m_stepsLeft;
            switch (m_level) {
            case 0:
                runWarp<0>(block, warp, static_cast<std::uint32_t>(quantum));
                break;
            case 1:
                runWarp<1>(block, warp, static_cast<std::uint32_t>(quantum));
                break;
            default:
                runWarp<2>(block, warp, static_cast<std::uint32_t>(quantum));
                break;
            }
            if (m_fault)
                return false;
            progress = true;
            waiting = waiting && warp.spun;
            warp.spun = false;
            preempted = preempted || m_preempt;
            m_preempt = false;
            spent += before - m_stepsLeft;
        }
        block.nextWarp = m_shuffled ? random() % count : 0;
        if (block.ticket)
            block.now = nominalNow(block);
        bool released = false;
        if (!releaseBarriers(block, released))
            return false;
        if (released) {
            ++m_changes;
            chooseLateWarp(block);
        } else if (block.lateWarp >= 0 && (!progress || waiting || ++block.lateTurns > lateWarpTurns)) {
            block.lateWarp = -1;
            if (!progress)
                continue;
        }
        if (block.ended < m_warpsPerBlock && !progress && !released) {
            describeStuck(block);
            return false;
        }
        block.preempted = preempted;
        if ((spent >= slice || block.ticket || preempted || (progress && waiting && !released)) &&
            block.ended < m_warpsPerBlock)
            return false;
    }
    return true;
}

void Interpreter::finishBlock(BlockContext& block)
{
    if (m_level < 1)
        return;
    const Warp* slowest = nullptr;
    float longest = -1;
    for (Warp& warp : block.warps) {
        warp.time.closeRun(0);
        if (const float clocks = nominalClocks(warp.time.base); clocks > longest) {
            longest = clocks;
            slowest = &warp;
        }
    }
    const int bucket = static_cast<int>(std::floor(std::log(std::max(longest, 1.0f)) / std::log(1.25f)));
    const auto [found, added] = m_classes.try_emplace(bucket);
    BlockClass& group = found->second;
    const double number = block.number;
    group.first = added ? number : std::min(group.first, number);
    group.last = std::max(group.last, number);
    group.count += 1;
    float steps[Chain::size];
    slowest->time.base.store(steps);
    for (std::size_t i = 0; i < group.steps.size(); ++i)
        group.steps[i] += static_cast<double>(steps[i]);
    BlockCost& sm = m_smCost[m_smOfBlock];
    const BlockCost& cost = block.cost;
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

namespace {

WorkCounts workOf(const BlockCost& cost)
{
    WorkCounts work{};
    for (const std::uint64_t count : cost.pipes)
        work[at(Work::Instructions)] += static_cast<double>(count);
    const auto pipe = [&](Pipe which) { return double(cost.pipes[static_cast<std::size_t>(which)]); };
    work[at(Work::Integer)] = pipe(Pipe::Integer);
    work[at(Work::Float)] = pipe(Pipe::Float);
    work[at(Work::Double)] = pipe(Pipe::Double);
    work[at(Work::Special)] = pipe(Pipe::Special);
    work[at(Work::Memory)] = pipe(Pipe::Memory) + double(cost.memoryWavefronts);
    work[at(Work::Shared)] = pipe(Pipe::Shared) + double(cost.sharedWavefronts);
    work[at(Work::Shuffle)] = pipe(Pipe::Shuffle);
    work[at(Work::L1Sectors)] = static_cast<double>(cost.l1Sectors);
    work[at(Work::L2Sectors)] = static_cast<double>(cost.l2Sectors);
    work[at(Work::DramSectors)] = static_cast<double>(cost.dramSectors);
    work[at(Work::Barriers)] = static_cast<double>(cost.barriers);
    return work;
}

} // namespace

void Interpreter::finishProfile()
{
    LaunchProfile& profile = m_outcome.statistics.profile;
    for (auto& [bucket, group] : m_classes) {
        for (double& step : group.steps)
            step /= group.count;
        group.instructions /= group.count;
        profile.classes.push_back(group);
    }
    double most = -1;
    for (const BlockCost& sm : m_smCost) {
        const WorkCounts work = workOf(sm);
        for (std::size_t i = 0; i < work.size(); ++i)
            profile.total[i] += work[i];
        // Clocks that the units of a typical SM need.
        const double clocks =
            std::max({work[at(Work::Instructions)] / 4, work[at(Work::Memory)], work[at(Work::L1Sectors)] / 4,
                      work[at(Work::L2Sectors)] / 2, work[at(Work::Shared)] + work[at(Work::Shuffle)],
                      work[at(Work::Special)] * 2});
        if (clocks > most) {
            most = clocks;
            profile.busiest = work;
        }
    }
    for (const std::uint32_t heat : m_wordHeat)
        profile.hottestWord = std::max<double>(profile.hottestWord, heat);
    for (const std::uint32_t heat : m_sectorHeat)
        profile.hottestSector = std::max<double>(profile.hottestSector, heat);
    profile.codeInstructions = static_cast<int>(std::count(m_executed.begin(), m_executed.end(), 1));
}

/// Continues with the next entry that has live lanes; false when the warp has ended.
bool Interpreter::popStack(Warp& warp) const
{
    while (!warp.stack.empty()) {
        const StackEntry entry = warp.stack.back();
        warp.stack.pop_back();
        warp.mask = entry.mask & warp.live;
        if (warp.mask) {
            warp.pc = entry.pc;
            warp.reconverge = entry.reconverge;
            return true;
        }
    }
    return false;
}

bool Interpreter::yieldSplit(Warp& warp, bool waiting) const
{
    for (std::size_t i = warp.stack.size(); i-- > 0;) {
        const StackEntry entry = warp.stack[i];
        // An entry that holds lanes of this side is where it will meet others, not another side.
        if (entry.waiting || (entry.mask & warp.mask) || !(entry.mask & warp.live))
            continue;
        warp.stack.erase(warp.stack.begin() + static_cast<std::ptrdiff_t>(i));
        warp.stack.push_back({warp.pc, warp.reconverge, warp.mask, waiting});
        warp.pc = entry.pc;
        warp.reconverge = entry.reconverge;
        warp.mask = entry.mask & warp.live;
        return true;
    }
    return false;
}

bool Interpreter::joinWaiting(Warp& warp) const
{
    const std::uint32_t before = warp.mask;
    std::erase_if(warp.stack, [&](const StackEntry& entry) {
        // Sides with another meeting point are not on the same path.
        if (!entry.waiting || entry.pc != warp.pc || entry.reconverge != warp.reconverge)
            return false;
        warp.mask |= entry.mask & warp.live;
        return true;
    });
    return warp.mask != before;
}

bool Interpreter::releaseArrived(Warp& warp) const
{
    std::uint32_t running = warp.mask; // lanes of this side and of what runs before the entry is reached
    for (std::size_t i = warp.stack.size(); i-- > 0;) {
        StackEntry& entry = warp.stack[i];
        const std::uint32_t arrived = entry.mask & warp.live & ~running;
        running |= entry.mask;
        if (!(entry.mask & warp.mask) || !arrived || entry.waiting)
            continue;
        const StackEntry ahead{entry.pc, entry.reconverge, arrived};
        entry.mask &= ~arrived;
        warp.stack.push_back({warp.pc, warp.reconverge, warp.mask});
        warp.pc = ahead.pc;
        warp.reconverge = ahead.reconverge;
        warp.mask = ahead.mask;
        return true;
    }
    return false;
}

template <int Level>
Interpreter::Stop Interpreter::runWarp(BlockContext& block, Warp& warp, std::uint32_t quantum)
{
    const Insn* const code = m_insns;
    std::byte* const registers = warp.registers;
    const std::uint64_t granted = quantum;
    auto leave = [&](Stop stop) {
        m_stepsLeft -= std::min<std::uint64_t>(m_stepsLeft, granted - quantum);
        return stop;
    };
    auto end = [&]() {
        warp.state = WarpState::Ended;
        ++block.ended;
        return leave(Stop::Ended);
    };
    while (quantum) {
        const Insn& insn = code[warp.pc];
        if (insn.join && warp.pc == warp.reconverge) {
            // Lanes that only have to leave do not wait for the others: barriers must not wait for them.
            if (insn.kind == Kind::Exit && !insn.guarded)
                warp.live &= ~warp.mask;
            if (!popStack(warp))
                return end();
            continue;
        }
        if constexpr (Level >= 1) {
            if (insn.leader)
                warp.time.closeRun(0);
        }
        quantum -= insn.internal ? 0 : 1;
        std::uint32_t mask = warp.mask;
        if (insn.guarded) {
            const std::uint32_t guard = *words(registers, insn.guard);
            mask &= insn.guardNegated ? ~guard : guard;
        }
        if constexpr (Level >= 1) {
            if (!insn.internal) {
                LineCounters& line = m_lines[insn.lineIndex];
                ++line.warpInstructions;
                line.threadInstructions += mask == allLanes ? lanesPerWarp : bitCount(mask);
                ++block.cost.pipes[static_cast<std::size_t>(insn.pipe)];
                m_executed[warp.pc] = 1;
            }
        }
        if (insn.kind == Kind::Lane) {
            if (mask == allLanes)
                insn.full(registers, insn.args, mask);
            else if (mask)
                insn.masked(registers, insn.args, mask);
            scheduleLane<Level>(warp, insn);
            ++warp.pc;
            continue;
        }
        if (insn.kind == Kind::Branch) {
            if constexpr (Level >= 1) {
                scheduleLane<Level>(warp, insn);
                warp.time.closeRun(branchClocks);
            }
            if (mask == warp.mask) {
                if (insn.target <= warp.pc && (++warp.backward & patience) == 0)
                    warp.spun = true;
                warp.pc = insn.target;
                if (warp.spun)
                    break;
            } else if (mask == 0) {
                ++warp.pc;
            } else {
                if constexpr (Level >= 1)
                    ++m_lines[insn.lineIndex].divergentBranches;
                const std::uint32_t next = warp.pc + 1;
                const std::uint32_t rest = warp.mask & ~mask;
                const std::uint32_t meet = insn.reconverge;
                const bool known = meet < m_code.code.size();
                if (known && meet != warp.reconverge)
                    warp.stack.push_back({meet, warp.reconverge, warp.mask});
                const std::uint32_t inner = known ? meet : warp.reconverge;
                StackEntry sides[2] = {{insn.target, inner, mask}, {next, inner, rest}};
                if (Level == 2 && (random() & 1))
                    std::swap(sides[0], sides[1]);
                for (const StackEntry& side : sides) {
                    if (side.pc != meet || !known)
                        warp.stack.push_back(side);
                    else if (code[meet].kind == Kind::Exit && !code[meet].guarded)
                        warp.live &= ~side.mask;
                }
                popStack(warp);
            }
            continue;
        }
        if (mask == 0) {
            ++warp.pc;
            continue;
        }
        bool good = true;
        switch (insn.kind) {
        case Kind::Load:
            good = load<Level>(block, warp, insn, mask);
            break;
        case Kind::Store:
            good = store<Level>(block, warp, insn, mask);
            break;
        case Kind::Atomic:
            good = atomic<Level>(block, warp, insn, mask);
            break;
        case Kind::Scalar:
            scalar(warp, insn, mask);
            scheduleLane<Level>(warp, insn);
            break;
        case Kind::Mma:
            good = matrixMultiply(block, warp, insn, mask);
            scheduleLane<Level>(warp, insn);
            break;
        case Kind::LdMatrix:
            good = loadMatrix<Level>(block, warp, insn, mask);
            break;
        case Kind::CopyAsync:
            good = copyAsync<Level>(block, warp, insn, mask);
            break;
        case Kind::CopyCommit:
            for (std::uint32_t rest = mask; rest; rest &= rest - 1)
                ++warp.copyGroups[__builtin_ctz(rest)];
            break;
        case Kind::CopyWait:
            good = copyWait<Level>(block, warp, insn, mask);
            break;
        case Kind::Pack:
        case Kind::Unpack:
            pack(warp, insn, mask);
            scheduleLane<Level>(warp, insn);
            break;
        case Kind::Isspacep:
            isspacep(warp, insn, mask);
            scheduleLane<Level>(warp, insn);
            break;
        case Kind::Shuffle:
            good = shuffle(block, warp, insn, mask);
            schedule<Level>(warp, insn, oneStep(Step::Shared));
            break;
        case Kind::Vote:
        case Kind::Match:
        case Kind::Activemask:
        case Kind::Redux:
        case Kind::WarpSync:
            good = vote(block, warp, insn, mask);
            schedule<Level>(warp, insn, oneStep(Step::Shared));
            break;
        case Kind::Fence:
            if constexpr (Level == 2) {
                m_races.noteFence();
                block.clock.fence(m_races.store(), warp.index, mask,
                                  insn.scope == ptx::Scope::Cta ? Reach::Block : Reach::Device);
            }
            if constexpr (Level >= 1) {
                warp.time.closeRun(0);
                if (insn.scope != ptx::Scope::Cta)
                    warp.time.base.add(oneStep(Step::Atomic));
                warp.time.last = warp.time.base;
            }
            break;
        case Kind::Barrier:
        case Kind::BarrierArrive:
        case Kind::BarrierRed:
            if constexpr (Level >= 1) {
                scheduleLane<Level>(warp, insn);
                warp.time.closeRun(0);
            }
            good = arriveBarrier(block, warp, insn, mask);
            if (m_yielded) {
                m_yielded = false;
                continue;
            }
            if (good) {
                ++warp.pc;
                if (warp.state == WarpState::AtBarrier)
                    return leave(Stop::Barrier);
                continue;
            }
            break;
        case Kind::Exit:
            warp.live &= ~mask;
            warp.mask &= ~mask;
            if (warp.mask == 0) {
                if (!popStack(warp))
                    return end();
                continue;
            }
            break;
        case Kind::Trap:
            good = fault(block, warp, insn, __builtin_ctz(mask), FaultKind::LaunchError,
                         "the kernel executed a trap");
            break;
        default:
            break;
        }
        if (m_yielded) {
            m_yielded = false;
            continue;
        }
        if (!good)
            return leave(Stop::Fault);
        ++warp.pc;
        if (warp.spun) {
            warp.spinCount = 0;
            break;
        }
        if (Level == 2 && m_preempt)
            break;
        if (Level >= 1 && insn.kind == Kind::Atomic && insn.args.d != noSlot &&
            insn.space != ptx::Space::Shared) {
            block.ticket = true;
            return leave(Stop::Quantum);
        }
    }
    // Sides that wait for each other by spinning get their turns; those that wait at the end of the loop for
    // the spinning ones as well.
    if (!warp.stack.empty()) {
        warp.turn = !warp.turn;
        if (!(warp.spun && warp.turn && releaseArrived(warp)) && !yieldSplit(warp, false) && warp.spun)
            releaseArrived(warp);
    }
    return leave(Stop::Quantum);
}

bool Interpreter::releaseBarriers(BlockContext& block, bool& released)
{
    for (int id = 0; id < 16; ++id) {
        BarrierState& barrier = block.barriers[id];
        if (!barrier.arrived)
            continue;
        const int live = m_warpsPerBlock - block.ended;
        if (barrier.expectedThreads) {
            if ((barrier.arrived + barrier.signalled) * std::int64_t(lanesPerWarp) < barrier.expectedThreads)
                continue;
        } else if (barrier.arrived + barrier.signalled < live) {
            continue;
        }
        std::vector<int> participants;
        std::vector<bool> ended(m_warpsPerBlock);
        Chain latest;
        const Warp* first = nullptr;
        std::uint32_t all = allLanes, any = 0;
        int count = 0;
        for (Warp& warp : block.warps) {
            ended[warp.index] = warp.state == WarpState::Ended;
            if (warp.state != WarpState::AtBarrier || warp.barrier != id)
                continue;
            // CUDA: a barrier stands in a condition only where the condition is the same for the whole block.
            if (first && !warp.barrierCounted && warp.barrierPc != first->barrierPc) {
                fault(block, warp, m_insns[warp.barrierPc], __builtin_ctz(warp.mask), FaultKind::SyncError,
                      fmt::format(
                          "divergent barrier: warps of this block wait at different barriers, line {} and "
                          "line {}",
                          m_code.lines[m_insns[first->barrierPc].lineIndex],
                          m_code.lines[m_insns[warp.barrierPc].lineIndex]));
                return false;
            }
            if (!first)
                first = &warp;
            participants.push_back(warp.index);
            latest.join(warp.time.base);
            all &= warp.barrierPredicates | ~warp.mask;
            any |= warp.barrierPredicates & warp.mask;
            count += bitCount(warp.barrierPredicates & warp.mask);
        }
        latest.add(oneStep(Step::Barrier));
        block.cost.barriers += participants.size();
        for (int w : participants) {
            Warp& warp = block.warps[w];
            warp.state = WarpState::Ready;
            warp.time.base = warp.time.last = latest;
            const Insn& insn = m_insns[warp.barrierPc];
            if (insn.kind != Kind::BarrierRed || insn.args.d == noSlot)
                continue;
            std::uint32_t* d = words(warp.registers, insn.args.d);
            if (insn.op == ptx::Op::BarRedPopc) {
                for (int l = 0; l < lanesPerWarp; ++l) {
                    if ((warp.mask >> l) & 1)
                        d[l] = static_cast<std::uint32_t>(count);
                }
            } else {
                const bool value = insn.op == ptx::Op::BarRedAnd ? all == allLanes : any != 0;
                *d = (*d & ~warp.mask) | (value ? warp.mask : 0);
            }
        }
        if (m_level == 2)
            block.clock.syncWarps(m_races.store(), participants, ended, barrier.signals);
        barrier = {};
        released = true;
    }
    return true;
}

std::string Interpreter::describeStuck(BlockContext& block)
{
    for (const Warp& warp : block.warps) {
        if (warp.state != WarpState::AtBarrier)
            continue;
        fault(block, warp, m_insns[warp.barrierPc], __builtin_ctz(warp.mask), FaultKind::SyncError,
              fmt::format("divergent barrier: warps wait at barrier {} for others that never come",
                          warp.barrier));
        break;
    }
    return {};
}

bool Interpreter::fault(const BlockContext& block, const Warp& warp, const Insn& insn, int lane,
                        FaultKind kind, std::string message)
{
    Fault result;
    result.kind = kind;
    result.kernel = m_code.name;
    result.line = m_code.lines[insn.lineIndex];
    result.block = block.index;
    result.thread = threadOf(warp, lane);
    result.message = std::move(message);
    m_fault = std::move(result);
    return false;
}

std::array<std::int64_t, 3> Interpreter::threadOf(const Warp& warp, int lane) const
{
    const std::int64_t t = std::int64_t(warp.index) * lanesPerWarp + lane;
    const auto& extent = m_setup.block;
    return {t % extent[0], t / extent[0] % extent[1], t / (extent[0] * extent[1])};
}

std::string Interpreter::threadName(std::uint32_t globalWarp, int lane, const BlockContext& block) const
{
    const std::uint32_t number = globalWarp / m_warpsPerBlock;
    const std::int64_t thread = std::int64_t(globalWarp % m_warpsPerBlock) * lanesPerWarp + lane;
    if (number == block.number)
        return fmt::format("thread {} of the same block", thread);
    return fmt::format("thread {} of block {}", thread, number);
}

template Interpreter::Stop Interpreter::runWarp<0>(BlockContext&, Warp&, std::uint32_t);
template Interpreter::Stop Interpreter::runWarp<1>(BlockContext&, Warp&, std::uint32_t);
template Interpreter::Stop Interpreter::runWarp<2>(BlockContext&, Warp&, std::uint32_t);

} // namespace sparserl::sim
