// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/execute/barriers.h"
#include "device/simulator/execute/run_context.h"
#include "device/simulator/memory/memory_system.h"

namespace sparserl::sim {

/// Executes instructions of warps. The level of checks (BlockContext::level) is a template argument inside:
/// results alone cost nothing of what counts and checks.
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
    /// At most `quantum` instructions of a warp that is ready. Check RunContext::faults.
    void run(BlockContext& block, Warp& warp, std::uint32_t quantum);
    Barriers& barriers() { return m_barriers; }

private:
    enum class After
    {
        Next,   ///< The next instruction.
        Again,  ///< The instruction where the warp is now.
        Pause,  ///< Other sides of the warp, then other warps.
        Switch, ///< The next instruction; there are marks now (UnwrittenMarks), or none any more.
        Leave   ///< Other warps.
    };

    template <int Level>
    void runWarp(BlockContext& block, Warp& warp, std::uint32_t quantum);
    /// `Marked`: there are marks, so that every instruction is asked what it does with them.
    template <int Level, bool Marked>
    After runUntilPause(BlockContext& block, Warp& warp, std::uint32_t& quantum);
    template <int Level>
    void branch(Warp& warp, const Insn& insn, std::uint32_t mask);
    /// What is neither an operation on lanes nor a branch.
    template <int Level>
    After execute(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    /// Of these, what ends, orders or holds warps.
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

    // what nothing wrote (execute_unwritten.cpp)
    /// Marks the registers of a load that read bytes which nothing wrote.
    void markUnwritten(Warp& warp, const Insn& insn, const AddressedMemory& target, std::uint32_t mask,
                       const std::uint32_t* offsets) const;
    /// Passes marks on to what the next instruction writes; a fault where it makes use of a marked value.
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
    /// Does a thread touch what a copy of its own may still write to? Then that is a fault.
    bool meetsCopy(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask,
                   const std::uint32_t* offsets, std::uint32_t bytes, const char* what);
    template <int Level>
    bool copyAsync(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);
    template <int Level>
    bool copyWait(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask);

    /// The instruction happens when its operands are there; what it writes is there `latency` later.
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
    /// The same for arithmetic.
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
