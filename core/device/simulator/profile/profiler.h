// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/memory/simulated_memory.h"
#include "device/simulator/profile/chain.h"
#include "machine/device_model.h"
#include "verdict/counters.h"

#include <map>

namespace sparserl::sim {

/// The counts of one block for the cost model.
struct BlockCost
{
    std::array<std::uint64_t, ptx::pipeCount> pipes{};        ///< Warp instructions by Pipe.
    std::uint64_t memoryWavefronts = 0, sharedWavefronts = 0; ///< In addition to one per instruction.
    std::uint64_t l1Sectors = 0, l2Sectors = 0, dramSectors = 0;
    std::uint64_t barriers = 0;
};

/// All counts of one launch.
struct LaunchStatistics
{
    std::vector<LineCounters> lines; ///< By line index of the kernel.
    LaunchProfile profile;           ///< Without kernel, sizes and occupancy.
    std::uint64_t steps = 0;
    std::uint64_t failedSwaps = 0; ///< See ExecutionResult.
};

/// How an access to global memory is charged.
enum class Traffic : std::uint8_t
{
    Read,
    Write,
    Atomic
};

inline Chain oneStep(Step step)
{
    Chain chain;
    chain.set(step, 1);
    return chain;
}

/// A shared-memory atomic without a GPU instruction: float additions, and all 64-bit atomics except swaps.
/// The assembler emits a loop in which one lane per word succeeds in each round.
inline bool isLoopInShared(const Insn& insn)
{
    const bool swaps = insn.atom == ptx::AtomOp::Cas || insn.atom == ptx::AtomOp::Exch;
    return !swaps && (insn.width == 8 || ptx::isFloat(insn.type) || insn.type >= ptx::Type::F16);
}

/// Counts the operations of a launch by line, block and SM, with the caches of every SM.
class Profiler
{
public:
    /// Without `counting`, only the lines are recorded.
    Profiler(SimulatedMemory& memory, const KernelCode& code, const DeviceModel& model, bool counting,
             std::int64_t sharedOfSm);

    LineCounters* lines() { return m_lines.data(); }
    std::uint8_t* executed() { return m_executed.data(); }
    /// Switches to a block with this number.
    void switchTo(std::uint32_t block) { m_smOfBlock = block % static_cast<std::uint32_t>(m_model.smCount); }

    /// Counts the sectors of an access and adds its waiting time to `latency`.
    void accountGlobal(BlockCost& cost, const Insn& insn, const AddressedMemory& target, std::uint32_t mask,
                       const std::uint32_t* offsets, Traffic traffic, Chain& latency);
    void accountShared(BlockCost& cost, const Insn& insn, std::uint32_t mask, const std::uint32_t* offsets,
                       Chain& latency);
    void accountSharedAtomics(BlockCost& cost, const Insn& insn, std::uint32_t mask,
                              const std::uint32_t* offsets, Chain& latency);
    /// The same for an atomic that becomes a loop (isLoopInShared()). The warp does nothing else until the
    /// loop ends.
    void accountSharedLoop(BlockCost& cost, const Insn& insn, std::uint32_t mask,
                           const std::uint32_t* offsets, Chain& latency);
    /// Ends the current block; `slowest`: the chain of its slowest warp, with `clocks` nominal clocks.
    void finishBlock(std::uint32_t block, const BlockCost& cost, const Chain& slowest, float clocks);
    LaunchStatistics finish();

private:
    /// The distinct sectors of an access, and the number of 128-byte lines requested in sequence.
    int sectorsOf(const Insn& insn, const AddressedMemory& target, std::uint32_t mask,
                  const std::uint32_t* offsets, std::uint32_t* sectors, int& wavefronts);
    /// The number of passes over shared memory for the addresses of an access.
    int sharedPasses(std::uint32_t width, std::uint32_t mask, const std::uint32_t* offsets) const;
    void countAtomics(const Region& region, std::uint32_t mask, const std::uint32_t* offsets,
                      const std::uint32_t* sectors, int count);
    void finishProfile();

    SimulatedMemory& m_memory;
    const DeviceModel& m_model;
    const AddressFns& m_address;
    const CacheFns& m_caches;
    bool m_counting;
    std::vector<SectorCache> m_l1;
    std::array<std::uint64_t, 256> m_sectorTable{};
    std::uint32_t m_sectorGeneration = 0;
    std::size_t m_smOfBlock = 0;                         ///< SM of the current block.
    std::vector<std::uint32_t> m_wordHeat, m_sectorHeat; ///< Atomics by hashed word, requests by sector.
    std::map<int, BlockClass> m_classes;                 ///< By logarithm of the chain's nominal clocks.
    std::vector<BlockCost> m_smCost;
    std::vector<std::uint8_t> m_executed; ///< Executed instructions.
    std::vector<LineCounters> m_lines;
    LaunchProfile m_profile;
};

} // namespace sparserl::sim
