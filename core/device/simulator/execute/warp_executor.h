// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/execute/barriers.h"
#include "device/simulator/execute/run_context.h"
#include "device/simulator/memory/memory_system.h"

namespace sparserl::sim {

/// Executes instructions of warps. Internally, the level of checks (BlockContext::level) is a template
/// argument, so that runs without checks do not pay for them.
class WarpExecutor
{
public:
    WarpExecutor(RunContext& run, MemorySystem& memory, Profiler& profiler)
        : m_run(run)
        , m_memory(memory)
        , m_profiler(profiler)
        , m_address(laneTable().addresses)
        , m_barriers(run, memory)
    {
    }
    /// Runs at most `quantum` instructions of a ready warp. Check RunContext::faults.
    void run(BlockContext& block, Warp& warp, std::uint32_t quantum);
    Barriers& barriers() { return m_barriers; }

private:
    enum class After
    {
        Next,   ///< Go on to the next instruction.
        Again,  ///< Execute the current instruction again.
        Pause,  ///< Let other sides of the warp run, then other warps.
        Switch, ///< Go on to the next instruction. Marks (UnwrittenMarks) have appeared or disappeared.
        Leave   ///< Let other warps run.
    };

    template <int Level>
    void runWarp(BlockContext& block, Warp& warp, std::uint32_t quantum);
    /// `Marked` means that marks exist; every instruction is then checked for use of a marked value.
    template <int Level, bool Marked>
    After runUntilPause(BlockContext& block, Warp& warp, std::uint32_t& quantum);
    template <int Level>
    void branch(Warp& warp, const Insn& insn, std::uint32_t mask);
    /// Executes any instruction that is not a lane operation or a branch.
    template <int Level>
    After execute(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    /// Executes an instruction that ends, orders or blocks warps.
    template <int Level>
    After control(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    template <int Level>
    void fence(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    After end(BlockContext& block, Warp& warp) const;

    // memory (execute_memory.cpp)
    template <int Level>
    bool load(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    template <int Level>
    bool store(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    template <int Level>
    bool atomic(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    void loadElement(Warp& warp, const Insn& insn, const AddressedMemory& target, std::uint32_t mask,
                     const std::uint32_t* offsets, int element) const;
    void storeElement(const Warp& warp, const Insn& insn, const AddressedMemory& target, std::uint32_t mask,
                      const std::uint32_t* offsets, int element) const;
    void noteRead(Warp& warp, const Insn& insn, const AddressedMemory& target, std::uint32_t mask,
                  const std::uint32_t* offsets) const;

    // unwritten data (execute_unwritten.cpp)
    /// Marks the destination registers of a load that read unwritten bytes.
    void markUnwritten(Warp& warp, const Insn& insn, const AddressedMemory& target, std::uint32_t mask,
                       const std::uint32_t* offsets) const;
    /// Passes marks on to the results of the next instruction, or reports that it uses a marked value.
    bool followMarks(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);

    // lanes together (execute_together.cpp)
    bool shuffle(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    bool vote(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    bool warpMask(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask,
                  std::uint32_t& members);

    // registers, the rarer ones (execute_registers.cpp)
    void scalar(Warp& warp, const Insn& insn, std::uint32_t mask) const;
    void pack(Warp& warp, const Insn& insn, std::uint32_t mask) const;
    void isInSpace(Warp& warp, const Insn& insn, std::uint32_t mask) const;

    // matrices and asynchronous copies (execute_matrix.cpp, execute_copies.cpp)
    bool wholeWarp(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    bool matrixMultiply(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    template <int Level>
    bool loadMatrix(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    /// Reports a fault and returns true if a thread accesses the destination of its own pending copy.
    bool meetsCopy(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask,
                   const std::uint32_t* offsets, std::uint32_t bytes, const char* what);
    template <int Level>
    bool copyAsync(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    template <int Level>
    bool copyWait(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);

    /// Computes when an instruction runs: it starts when its operands are ready, and its results are ready
    /// after `latency`.
    template <int Level>
    void schedule(Warp& warp, const Insn& insn, const Chain& latency)
    {
        if constexpr (!counts(Level))
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
    /// Computes when an arithmetic instruction runs.
    template <int Level>
    void scheduleLane(Warp& warp, const Insn& insn)
    {
        if constexpr (!counts(Level))
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

    RunContext& m_run;
    MemorySystem& m_memory;
    Profiler& m_profiler;
    const AddressFns& m_address;
    Barriers m_barriers;
};

} // namespace sparserl::sim
