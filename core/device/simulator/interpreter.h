// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "device/device.h"
#include "device/simulator/caches.h"
#include "device/simulator/chain.h"
#include "device/simulator/kernel_code.h"
#include "device/simulator/memory.h"
#include "device/simulator/races.h"

#include <array>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sparserl::sim {

/// What one block costs, for the cost model.
struct BlockCost
{
    std::array<std::uint64_t, 8> pipes{};                     ///< Warp instructions by Pipe.
    std::uint64_t memoryWavefronts = 0, sharedWavefronts = 0; ///< Beyond one for each instruction.
    std::uint64_t l1Sectors = 0, l2Sectors = 0, dramSectors = 0;
    std::uint64_t barriers = 0;
};

/// Everything one launch counted.
struct LaunchStatistics
{
    std::vector<LineCounters> lines; ///< By line index of the kernel.
    LaunchProfile profile;           ///< Without kernel, sizes and occupancy.
    std::uint64_t steps = 0;
};

/// Memory and caches that outlive a launch.
struct SimulatedMemory
{
    std::vector<Region> regions; ///< [0] holds .const variables of the kernel that runs.
    L2Cache l2;
    std::vector<std::uint64_t> touched; ///< A bit for each sector that L2 was asked for.
};

/// What to launch, and how.
struct LaunchSetup
{
    const KernelCode* code = nullptr;
    std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::int64_t dynamicShared = 0;
    std::vector<std::byte> params;
    Checks checks = Checks::All;
    bool inOrder = false; ///< As ExecutionRequest says.
    std::uint64_t seed = 0;
    std::uint64_t stepBudget = 0;
    std::uint32_t launchNumber = 1; ///< Never 0; race histories of other launches do not count.
    const DeviceModel* model = nullptr;
    int blocksPerSm = 1;
    CancelToken cancel;
};

struct LaunchOutcome
{
    std::optional<Fault> fault;
    bool cancelled = false;
    LaunchStatistics statistics;
};

/// Runs one kernel launch. Blocks run in a seeded order; a block that does not finish soon makes room for
/// others that would be resident with it, so waiting for another block ends.
LaunchOutcome runLaunch(SimulatedMemory& memory, const LaunchSetup& setup);

// ---- inside

struct StackEntry
{
    std::uint32_t pc = 0, reconverge = 0, mask = 0;
    bool waiting = false; ///< At a barrier or a shuffle, for lanes that are elsewhere.
};

enum class WarpState : std::uint8_t
{
    Ready,
    AtBarrier,
    Ended
};

/// What cp.async has read and not yet written to shared memory.
struct PendingCopy
{
    const struct Insn* insn = nullptr;
    int lane = 0;
    std::uint32_t to = 0, bytes = 0;
    std::uint32_t group = 0; ///< Of the lane.
    std::array<std::byte, 16> data{};
};

struct Warp
{
    std::byte* registers = nullptr;
    std::uint32_t pc = 0, reconverge = 0, mask = 0, live = 0;
    std::vector<StackEntry> stack;
    WarpState state = WarpState::Ready;
    int barrier = 0;
    std::uint32_t barrierPc = 0;
    bool barrierCounted = false;
    std::uint32_t barrierPredicates = 0; ///< bar.red
    WarpTimeline time;
    // A strong read that keeps giving the same value: the warp waits for somebody else.
    std::uint32_t spinPc = 0, spinCount = 0;
    std::uint64_t spinSeen = 0;
    bool spun = false;
    std::uint32_t backward = 0; ///< Branches backwards since another side had a turn.
    bool turn = false;          ///< Whose turn it is when this side waits: another side's, or those ahead.
    std::vector<Chain> ready;   ///< When each scoreboard number can be read.
    int index = 0;
    std::vector<PendingCopy> copies;
    std::array<std::uint32_t, 32> copyGroups{}; ///< Groups that each lane has committed.
    Chain copied;                               ///< When the latest copy arrives.
};

struct BarrierState
{
    int arrived = 0;                  ///< Warps that wait.
    int signalled = 0;                ///< Warps that arrived without waiting.
    std::int64_t expectedThreads = 0; ///< 0: all of the block.
    std::vector<std::pair<int, std::uint32_t>>
        signals; ///< Warps of bar.arrive and how far others then know them.
};

struct BlockContext
{
    std::uint32_t number = 0;
    std::array<std::int64_t, 3> index{};
    std::vector<Warp> warps;
    LazyBytes registers, local;
    std::vector<std::byte> shared;
    WrittenBytes sharedWritten, localWritten;
    std::vector<WordHistory> sharedHistory;
    std::array<BarrierState, 16> barriers{};
    BlockClock clock;
    BlockCost cost;
    std::uint32_t generation = 0;
    int ended = 0;
    std::size_t nextWarp = 0;
    bool ticket = false; ///< It took something from global memory by an atomic: others come first.
    bool preempted =
        false;         ///< It stopped between a strong load and what follows: others come first, for a while.
    float now = 0;     ///< Nominal clocks of its slowest warp when it made room.
    int lateWarp = -1; ///< Is held back until the others cannot go on without it.
    int lateTurns = 0; ///< Turns of the block for which it has been.
};

/// Which block is held back, and whether the others still get on without it. Faults that show only where one
/// block is much later than all others (a barrier of the grid that counts too few) are found by nearly every
/// schedule that has such a block, and by hardly any that has none (probabilistic concurrency testing,
/// Burckhardt et al. 2010).
class LateBlocks
{
public:
    static constexpr std::uint32_t none = ~0u;

    void hold(std::uint32_t number) { m_number = number; }
    std::uint32_t number() const { return m_number; }
    /// A block other than the late one had a turn, in which it did something or only looked.
    void turn(bool didSomething) { m_idle = didSomething ? 0 : m_idle + 1; }
    /// `others` have begun and not ended, and none of them gets on.
    bool stuck(std::size_t others) const { return m_idle > 2 * others + 64; }
    void release()
    {
        m_number = none;
        m_idle = 0;
        ++m_released;
    }
    int released() const { return m_released; }

private:
    std::uint32_t m_number = none;
    std::size_t m_idle = 0;
    int m_released = 0;
};

class Interpreter
{
public:
    Interpreter(SimulatedMemory& memory, const LaunchSetup& setup);
    LaunchOutcome run();

private:
    enum class Stop
    {
        Quantum,
        Barrier,
        Ended,
        Fault
    };

    std::unique_ptr<BlockContext> makeContext();
    void startBlock(BlockContext& block, std::uint32_t number);
    /// Holds one warp of a block back, in some of the runs.
    void chooseLateWarp(BlockContext& block);
    /// True when the block has ended; false when its slice is over. Check `m_fault`.
    bool runBlock(BlockContext& block, std::uint64_t slice);
    void finishBlock(BlockContext& block);
    /// What nothing has written holds values that no program can count on.
    void poison(BlockContext& block, Warp& warp) const;
    void finishProfile();
    template <int Level>
    Stop runWarp(BlockContext& block, Warp& warp, std::uint32_t quantum);
    bool popStack(Warp& warp) const;
    /// Lets another side of a divergent branch run first; false where there is none that can. Sides that wait
    /// here (`waiting`) are not chosen again before something else has run.
    bool yieldSplit(Warp& warp, bool waiting) const;
    /// Sides that wait at the instruction where this one is now become one with it. True if there were any.
    bool joinWaiting(Warp& warp) const;
    /// Lets lanes that have arrived where this side will meet them go on without it: they may hold what this
    /// side waits for (a lock). Threads of a warp are scheduled independently since Volta.
    bool releaseArrived(Warp& warp) const;
    bool releaseBarriers(BlockContext& block, bool& released);
    std::string describeStuck(BlockContext& block);

    void noteRead(Warp& warp, std::uint64_t seen)
    {
        warp.spinCount = warp.spinPc == warp.pc && warp.spinSeen == seen ? warp.spinCount + 1 : 0;
        warp.spinPc = warp.pc;
        warp.spinSeen = seen;
        warp.spun = warp.spinCount >= 4;
    }
    /// The instruction happens when its operands are there; what it writes is there `latency` later.
    template <int Level>
    void schedule(Warp& warp, const Insn& insn, const Chain& latency)
    {
        if constexpr (Level == 0)
            return;
        Chain t = warp.time.base;
        for (int i = 0; i < insn.readCount; ++i)
            t.join(warp.ready[insn.reads[i]]);
        if (insn.kind == Kind::Load && !insn.readOnly)
            t.join(warp.time.stored);
        else if (insn.kind == Kind::Store || insn.kind == Kind::Atomic)
            warp.time.stored.join(t);
        warp.time.last.join(t);
        warp.time.issued += 1;
        t.add(latency);
        for (int i = 0; i < insn.writeCount; ++i)
            warp.ready[insn.writes[i]] = t;
    }
    /// The same for arithmetic.
    template <int Level>
    void scheduleLane(Warp& warp, const Insn& insn)
    {
        if constexpr (Level == 0)
            return;
        Chain t = warp.time.base;
        for (int i = 0; i < insn.readCount; ++i)
            t.join(warp.ready[insn.reads[i]]);
        warp.time.last.join(t);
        warp.time.issued += 1;
        t.addClocks(insn.latency);
        for (int i = 0; i < insn.writeCount; ++i)
            warp.ready[insn.writes[i]] = t;
    }
    static Chain oneStep(Step step)
    {
        Chain chain;
        chain.set(step, 1);
        return chain;
    }

    struct Target
    {
        ptx::Space space = ptx::Space::Global;
        Region* region = nullptr;
        std::byte* host = nullptr;
        WrittenBytes* written = nullptr;
        std::vector<WordHistory>* history = nullptr;
        std::uint32_t generation = 0;
        bool dense = false;         ///< Every lane, one element behind the other.
        std::uint64_t syncBase = 0; ///< Identifies words for release and acquire.
    };

    // memory (interpreter_memory.cpp)
    template <int Level>
    bool load(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    template <int Level>
    bool store(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    template <int Level>
    bool atomic(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    /// Splits the lanes by the memory they address and calls `visit(Target, mask, offsets)` for each group.
    template <class Visit>
    bool forTargets(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask, Visit&& visit);
    /// Counts the sectors of an access and adds to `latency` what a load of them waits for.
    template <int Level>
    void accountGlobal(BlockContext& block, const Insn& insn, const Target& target, std::uint32_t mask,
                       const std::uint32_t* offsets, bool write, bool atomics, Chain& latency);
    void accountShared(BlockContext& block, const Insn& insn, std::uint32_t mask,
                       const std::uint32_t* offsets, Chain& latency);
    bool checkWritten(BlockContext& block, Warp& warp, const Insn& insn, const Target& target,
                      std::uint32_t mask, const std::uint32_t* offsets);
    /// Compares an access with those before it, and records it if it is a load or a store (`values`: what is
    /// stored); an atomic is recorded when it is known what it changed.
    bool checkRaces(BlockContext& block, Warp& warp, const Insn& insn, const Target& target,
                    std::uint32_t mask, const std::uint32_t* offsets, bool write, bool strong,
                    const std::uint64_t* values);
    void recordAccess(BlockContext& block, Warp& warp, const Insn& insn, const Target& target,
                      std::uint32_t mask, const std::uint32_t* offsets, bool write, bool strong);
    RaceDetector::Access accessOf(BlockContext& block, const Warp& warp, const Insn& insn, bool strong) const;
    /// Following what threads release to each other is work too: it counts against the budget of steps.
    bool chargeSynchronisation(const BlockContext& block, const Warp& warp, const Insn& insn, int lane);

    // lanes together (interpreter_warp.cpp)
    bool shuffle(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    bool vote(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    bool warpMask(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask,
                  std::uint32_t& members);
    void pack(Warp& warp, const Insn& insn, std::uint32_t mask) const;
    void isspacep(Warp& warp, const Insn& insn, std::uint32_t mask) const;
    bool arriveBarrier(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);

    // rare instructions (interpreter_matrix.cpp)
    void scalar(Warp& warp, const Insn& insn, std::uint32_t mask) const;
    bool matrixMultiply(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    template <int Level>
    bool loadMatrix(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    template <int Level>
    bool copyAsync(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    template <int Level>
    bool copyWait(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    bool wholeWarp(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);

    bool fault(const BlockContext& block, const Warp& warp, const Insn& insn, int lane, FaultKind kind,
               std::string message);
    bool addressFault(const BlockContext& block, const Warp& warp, const Insn& insn, int lane,
                      std::uint64_t address, bool write, bool atomics);
    std::array<std::int64_t, 3> threadOf(const Warp& warp, int lane) const;
    std::string describe(const Target& target, std::uint32_t offset) const;
    std::string threadName(std::uint32_t globalWarp, int lane, const BlockContext& block) const;
    std::uint64_t random()
    {
        m_random ^= m_random << 13;
        m_random ^= m_random >> 7;
        m_random ^= m_random << 17;
        return m_random;
    }

    SimulatedMemory& m_memory;
    const LaunchSetup& m_setup;
    const KernelCode& m_code;
    const Insn* m_insns;
    const AddressFns& m_address;
    const CacheFns& m_caches;
    int m_level;
    bool m_shuffled; ///< Blocks and warps in a seeded order.
    int m_warpsPerBlock;
    std::int64_t m_threads;
    std::int64_t m_sharedBytes;
    std::uint64_t m_random;
    std::uint64_t m_stepsLeft;
    std::uint32_t m_generation = 0;
    std::vector<SectorCache> m_l1;
    std::array<std::uint64_t, 256> m_sectorTable{};
    std::uint32_t m_sectorGeneration = 0;
    std::size_t m_smOfBlock = 0;                         ///< Of the block that runs.
    std::vector<std::uint32_t> m_wordHeat, m_sectorHeat; ///< Atomics by hashed word, requests by sector.
    std::map<int, BlockClass> m_classes;                 ///< By logarithm of the chain's nominal clocks.
    std::vector<BlockCost> m_smCost;
    std::vector<std::uint8_t> m_executed; ///< By instruction: it ran.
    std::vector<LineCounters> m_lines;
    RaceDetector m_races;
    LaunchOutcome m_outcome;
    std::optional<Fault> m_fault;
    std::uint64_t m_chargedWork = 0;
    std::uint64_t m_changes = 0;     ///< Stores, atomics that changed a word, and barriers passed.
    std::size_t m_pendingCopies = 0; ///< Of all warps.
    bool m_preempt = false;          ///< Others shall run between this strong load and what follows.
    bool m_yielded = false; ///< The instruction was not executed: another side of the warp runs first.
};

} // namespace sparserl::sim
