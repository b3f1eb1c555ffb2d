// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/memory/simulated_memory.h"
#include "device/simulator/profile/chain.h"
#include "machine/device_model.h"
#include "verdict/counters.h"

#include <map>

namespace sparserl::sim {

/// What one block adds to the counts for the cost model.
struct BlockCost
{
    std::array<std::uint64_t, ptx::pipeCount> pipes{}; ///< Number of warp instructions, by Pipe.
    std::uint64_t memoryWavefronts = 0,
                  sharedWavefronts = 0; ///< Wavefronts beyond the first of each instruction.
    std::uint64_t l1Sectors = 0, l2Sectors = 0, dramSectors = 0;
    std::uint64_t barriers = 0;
};

/// All counts of one launch.
struct LaunchStatistics
{
    std::vector<LineCounters> lines; ///< By the kernel's line indexes.
    LaunchProfile profile;           ///< Without the members for kernel, sizes and occupancy.
    std::uint64_t steps = 0;
    std::uint64_t failedSwaps = 0; ///< See ExecutionResult.
};

/// Determines how an access to global memory is charged.
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

/// Returns true for a shared-memory atomic that has no GPU instruction: float additions, and all 64-bit
/// atomics except swaps. For these, the assembler emits a loop in which one lane per word succeeds in each
/// round.
inline bool isLoopInShared(const Insn& insn)
{
    const bool swaps = insn.atom == ptx::AtomOp::Cas || insn.atom == ptx::AtomOp::Exch;
    return !swaps && (insn.width == 8 || ptx::isFloat(insn.type) || insn.type >= ptx::Type::F16);
}

/// Counts the operations of a launch by line, block and SM, and simulates the caches of every SM.
class Profiler
{
public:
    /// Without `counting`, records only which lines are executed.
    Profiler(SimulatedMemory& memory, const KernelCode& code, const DeviceModel& model, bool counting,
             std::int64_t sharedOfSm);

    LineCounters* lines() { return m_lines.data(); }
    std::uint8_t* executed() { return m_executed.data(); }
    /// Continues with the block that has this number.
    void switchTo(std::uint32_t block) { m_smOfBlock = block % static_cast<std::uint32_t>(m_model.smCount); }

    /// Counts the sectors of an access, and adds the time that the access waits to `latency`.
    void accountGlobal(BlockCost& cost, const Insn& insn, const AddressedMemory& target, std::uint32_t mask,
                       const std::uint32_t* offsets, Traffic traffic, Chain& latency);
    void accountShared(BlockCost& cost, const Insn& insn, std::uint32_t mask, const std::uint32_t* offsets,
                       Chain& latency);
    void accountSharedAtomics(BlockCost& cost, const Insn& insn, std::uint32_t mask,
                              const std::uint32_t* offsets, Chain& latency);
    /// Counts an atomic that becomes a loop (isLoopInShared()). The warp does nothing else until the loop
    /// ends.
    void accountSharedLoop(BlockCost& cost, const Insn& insn, std::uint32_t mask,
                           const std::uint32_t* offsets, Chain& latency);
    /// Ends the current block. `slowest` is the chain of its slowest warp, which takes `clocks` nominal
    /// clocks.
    void finishBlock(std::uint32_t block, const BlockCost& cost, const Chain& slowest, float clocks);
    LaunchStatistics finish();

private:
    /// Writes the distinct sectors of an access and returns their number. Sets `wavefronts` to the number of
    /// 128-byte lines that are requested in sequence.
    int sectorsOf(const Insn& insn, const AddressedMemory& target, std::uint32_t mask,
                  const std::uint32_t* offsets, std::uint32_t* sectors, int& wavefronts);
    /// Returns how many passes over shared memory the addresses of an access take.
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
    std::size_t m_smOfBlock = 0; ///< SM of the current block.
    std::vector<std::uint32_t> m_wordHeat,
        m_sectorHeat;                    ///< Number of atomics by hashed word, and of requests by sector.
    std::map<int, BlockClass> m_classes; ///< By logarithm of the chain's nominal clocks.
    std::vector<BlockCost> m_smCost;
    std::vector<std::uint8_t> m_executed; ///< Which instructions were executed.
    std::vector<LineCounters> m_lines;
    LaunchProfile m_profile;
};

} // namespace sparserl::sim
