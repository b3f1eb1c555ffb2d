// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp do together.
#include "device/simulator/execute/divergence.h"
#include "device/simulator/execute/warp_executor.h"

#include <cstring>

namespace sparserl::sim {

using ptx::AtomOp;
using ptx::ShuffleMode;
using ptx::VoteMode;

namespace {

void writeLanes(std::uint32_t* d, std::uint32_t mask, std::uint32_t value)
{
    for (int l = 0; l < lanesPerWarp; ++l)
        d[l] = (mask >> l) & 1 ? value : d[l];
}

std::uint32_t undefined(std::uint64_t seed, int lane)
{
    return 0x7fc00001u | static_cast<std::uint32_t>((seed + std::uint64_t(lane)) * 0x9e3779b97f4a7c15u >> 42);
}

/// Whether every lane names all lanes as members, as nearly every program does.
bool namesAll(const std::uint32_t* given)
{
    std::uint64_t all = ~std::uint64_t(0);
    for (int l = 0; l < lanesPerWarp; l += 2) {
        std::uint64_t two;
        std::memcpy(&two, given + l, 8);
        all &= two;
    }
    return all == ~std::uint64_t(0);
}

/// The lane that a lane reads, of the amount `b` and the clamp and segment mask `c`; `valid`: within its
/// segment.
int sourceOf(ShuffleMode mode, int lane, int b, int c, bool& valid)
{
    const int amount = b & 31, clamp = c & 31, segment = (c >> 8) & 31;
    const int lowest = lane & segment, highest = lowest | (clamp & ~segment);
    int from = lane;
    switch (mode) {
    case ShuffleMode::Up:
        from = lane - amount;
        valid = from >= highest;
        return from;
    case ShuffleMode::Down:
        from = lane + amount;
        break;
    case ShuffleMode::Butterfly:
        from = lane ^ amount;
        break;
    case ShuffleMode::Index:
        from = lowest | (amount & ~segment);
        break;
    }
    valid = from <= highest;
    return from;
}

/// Lanes of `group` for which a predicate is set, together.
void voteOf(const Warp& warp, const Insn& insn, std::uint32_t group)
{
    std::uint32_t predicate = *words(warp.registers, insn.args.a);
    if (insn.args.imm & 1)
        predicate = ~predicate;
    predicate &= group;
    if (insn.args.d == noSlot)
        return;
    const auto mode = static_cast<VoteMode>(insn.mode);
    if (mode == VoteMode::Ballot) {
        writeLanes(words(warp.registers, insn.args.d), group, predicate);
        return;
    }
    const bool value = mode == VoteMode::Any   ? predicate != 0
                       : mode == VoteMode::All ? predicate == group
                                               : predicate == group || predicate == 0;
    std::uint32_t* const d = words(warp.registers, insn.args.d);
    *d = (*d & ~group) | (value ? group : 0);
}

/// Lanes of `group` that hold the same value.
void matchOf(const Warp& warp, const Insn& insn, std::uint32_t group)
{
    const auto value = [&](int l) -> std::uint64_t {
        return insn.type == ptx::Type::B64 ? doubles(warp.registers, insn.args.a)[l]
                                           : words(warp.registers, insn.args.a)[l];
    };
    const bool any = static_cast<VoteMode>(insn.mode) == VoteMode::Any;
    std::uint32_t result[lanesPerWarp] = {};
    bool all = true;
    for (std::uint32_t i = group; i; i &= i - 1) {
        const int l = __builtin_ctz(i);
        for (std::uint32_t j = group; j; j &= j - 1) {
            if (value(__builtin_ctz(j)) == value(l))
                result[l] |= 1u << __builtin_ctz(j);
        }
        all = all && result[l] == group;
    }
    if (insn.args.d != noSlot) {
        std::uint32_t* const d = words(warp.registers, insn.args.d);
        for (std::uint32_t i = group; i; i &= i - 1) {
            const int l = __builtin_ctz(i);
            d[l] = any ? result[l] : all ? group : 0;
        }
    }
    if (!any && insn.args.e != noSlot) {
        std::uint32_t* const p = words(warp.registers, insn.args.e);
        *p = (*p & ~group) | (all ? group : 0);
    }
}

/// The values of the lanes of `group`, combined.
void reductionOf(const Warp& warp, const Insn& insn, std::uint32_t group)
{
    const std::uint32_t* const a = words(warp.registers, insn.args.a);
    const bool sign = insn.type == ptx::Type::S32;
    std::uint32_t result = a[__builtin_ctz(group)];
    for (std::uint32_t rest = group & (group - 1); rest; rest &= rest - 1) {
        const std::uint32_t v = a[__builtin_ctz(rest)];
        const bool less =
            sign ? static_cast<std::int32_t>(v) < static_cast<std::int32_t>(result) : v < result;
        switch (insn.atom) {
        case AtomOp::Add:
            result += v;
            break;
        case AtomOp::Min:
            result = less ? v : result;
            break;
        case AtomOp::Max:
            result = less ? result : v;
            break;
        case AtomOp::And:
            result &= v;
            break;
        case AtomOp::Or:
            result |= v;
            break;
        default:
            result ^= v;
            break;
        }
    }
    if (insn.args.d != noSlot)
        writeLanes(words(warp.registers, insn.args.d), group, result);
}

} // namespace

/// Checks the member mask of a warp-wide instruction: the same for all lanes that execute it, containing each
/// of them, and without lanes that are alive elsewhere. On success the members are ordered with each other.
bool WarpExecutor::warpMask(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask,
                            std::uint32_t& members)
{
    const std::uint32_t* given = words(warp.registers, insn.address);
    if (mask == allLanes && (insn.fullMask || namesAll(given))) {
        members = allLanes;
        if (block.tracked)
            block.clock.syncLanes(m_memory.races().store(), warp.index, allLanes, warp.live);
        return true;
    }
    const int first = __builtin_ctz(mask);
    // Groups with different masks may execute together: each lane answers for its own group.
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        const std::uint32_t wanted = given[l];
        if (!((wanted >> l) & 1))
            return m_run.fault(
                block, warp, insn, l, FaultKind::SyncError,
                fmt::format("the mask 0x{:08x} does not contain the lane that uses it", wanted));
        if (const std::uint32_t missing = wanted & warp.live & ~mask) {
            if (mask == warp.mask && (joinWaiting(warp) || yieldSplit(warp, true))) {
                m_run.yielded = true;
                return false;
            }
            return m_run.fault(
                block, warp, insn, l, FaultKind::SyncError,
                fmt::format("the mask 0x{:08x} names lane {}, which does not come here (active: 0x{:08x})",
                            wanted, __builtin_ctz(missing), mask));
        }
    }
    members = given[first];
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
        members &= given[__builtin_ctz(rest)];
    if (block.tracked) {
        std::uint32_t left = mask;
        while (left) {
            const std::uint32_t group = given[__builtin_ctz(left)] & mask;
            block.clock.syncLanes(m_memory.races().store(), warp.index, group, warp.live);
            left &= ~group;
        }
    }
    return true;
}

bool WarpExecutor::shuffle(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    std::uint32_t members = 0;
    if (!warpMask(block, warp, insn, mask, members))
        return false;
    const std::uint32_t* a = words(warp.registers, insn.args.a);
    const std::uint32_t* b = words(warp.registers, insn.args.b);
    const std::uint32_t* c = words(warp.registers, insn.args.c);
    if (mask == allLanes && members == allLanes) {
        const ShuffleFn shuffleAll = laneTable().shuffles.byMode[insn.mode];
        std::uint32_t ignored[lanesPerWarp];
        const std::uint32_t inRange =
            shuffleAll(a, b, c, insn.args.d == noSlot ? ignored : words(warp.registers, insn.args.d));
        if (insn.args.e != noSlot)
            *words(warp.registers, insn.args.e) = inRange;
        return true;
    }
    const auto mode = static_cast<ptx::ShuffleMode>(insn.mode);
    const std::uint32_t* given = words(warp.registers, insn.address);
    std::uint32_t result[lanesPerWarp];
    std::uint32_t inRange = 0;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        bool valid = false;
        int from = sourceOf(mode, lane, static_cast<int>(b[lane]), static_cast<int>(c[lane]), valid);
        if (!valid)
            from = lane;
        inRange |= (valid ? 1u : 0u) << lane;
        // The value of a lane that does not take part is undefined: make it show, and differ.
        const bool there = ((mask & given[lane]) >> from) & 1;
        result[lane] = there ? a[from] : undefined(m_run.setup.seed, lane);
    }
    if (insn.args.d != noSlot) {
        std::uint32_t* d = words(warp.registers, insn.args.d);
        for (std::uint32_t rest = mask; rest; rest &= rest - 1)
            d[__builtin_ctz(rest)] = result[__builtin_ctz(rest)];
    }
    if (insn.args.e != noSlot) {
        std::uint32_t* p = words(warp.registers, insn.args.e);
        *p = (*p & ~mask) | (inRange & mask);
    }
    return true;
}

bool WarpExecutor::vote(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    if (insn.kind == Kind::ActiveMask) {
        if (insn.args.d != noSlot)
            writeLanes(words(warp.registers, insn.args.d), mask, mask);
        return true;
    }
    std::uint32_t members = 0;
    if (!warpMask(block, warp, insn, mask, members))
        return false;
    if (insn.kind == Kind::WarpSync)
        return true;
    const std::uint32_t* const given = words(warp.registers, insn.address);
    for (std::uint32_t left = mask; left;) {
        const std::uint32_t group = given[__builtin_ctz(left)] & mask;
        left &= ~group;
        if (insn.kind == Kind::Vote)
            voteOf(warp, insn, group);
        else if (insn.kind == Kind::Match)
            matchOf(warp, insn, group);
        else
            reductionOf(warp, insn, group);
    }
    return true;
}

} // namespace sparserl::sim
