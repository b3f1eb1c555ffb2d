// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/interpreter.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace sparserl::sim {

namespace {

using ptx::Op;

std::uint32_t* words(std::byte* registers, std::uint32_t slot)
{
    return reinterpret_cast<std::uint32_t*>(registers + slot);
}
std::uint64_t* doubles(std::byte* registers, std::uint32_t slot)
{
    return reinterpret_cast<std::uint64_t*>(registers + slot);
}

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

} // namespace

/// Checks the member mask of a warp-wide instruction: the same for all lanes that execute it, containing each
/// of them, and without lanes that are alive elsewhere. On success the members are ordered with each other.
bool Interpreter::warpMask(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask,
                           std::uint32_t& members)
{
    const std::uint32_t* given = words(warp.registers, insn.address);
    if (mask == allLanes && (insn.fullMask || namesAll(given))) {
        members = allLanes;
        if (m_level == 2)
            block.clock.syncLanes(m_races.store(), warp.index, allLanes, warp.live);
        return true;
    }
    const int first = __builtin_ctz(mask);
    // Groups with different masks may execute together: each lane answers for its own group.
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        const std::uint32_t wanted = given[l];
        if (!((wanted >> l) & 1))
            return fault(block, warp, insn, l, FaultKind::SyncError,
                         fmt::format("the mask 0x{:08x} does not contain the lane that uses it", wanted));
        if (const std::uint32_t missing = wanted & warp.live & ~mask) {
            if (mask == warp.mask && (joinWaiting(warp) || yieldSplit(warp, true))) {
                m_yielded = true;
                return false;
            }
            return fault(
                block, warp, insn, l, FaultKind::SyncError,
                fmt::format("the mask 0x{:08x} names lane {}, which does not come here (active: 0x{:08x})",
                            wanted, __builtin_ctz(missing), mask));
        }
    }
    members = given[first];
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
        members &= given[__builtin_ctz(rest)];
    if (m_level == 2) {
        std::uint32_t left = mask;
        while (left) {
            const std::uint32_t group = given[__builtin_ctz(left)] & mask;
            block.clock.syncLanes(m_races.store(), warp.index, group, warp.live);
            left &= ~group;
        }
    }
    return true;
}

bool Interpreter::shuffle(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    std::uint32_t members = 0;
    if (!warpMask(block, warp, insn, mask, members))
        return false;
    const std::uint32_t* a = words(warp.registers, insn.args.a);
    const std::uint32_t* b = words(warp.registers, insn.args.b);
    const std::uint32_t* c = words(warp.registers, insn.args.c);
    if (mask == allLanes && members == allLanes) {
        const ShuffleFns& fns = laneTable().shuffles;
        const auto shuffleAll = insn.op == Op::ShflUp     ? fns.up
                                : insn.op == Op::ShflDown ? fns.down
                                : insn.op == Op::ShflBfly ? fns.butterfly
                                                          : fns.index;
        std::uint32_t ignored[lanesPerWarp];
        const std::uint32_t inRange =
            shuffleAll(a, b, c, insn.args.d == noSlot ? ignored : words(warp.registers, insn.args.d));
        if (insn.args.e != noSlot)
            *words(warp.registers, insn.args.e) = inRange;
        return true;
    }
    const std::uint32_t* given = words(warp.registers, insn.address);
    std::uint32_t result[lanesPerWarp];
    std::uint32_t inRange = 0;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int lane = __builtin_ctz(rest);
        const int amount = static_cast<int>(b[lane] & 31);
        const int clamp = static_cast<int>(c[lane] & 31);
        const int segment = static_cast<int>((c[lane] >> 8) & 31);
        const int highest = (lane & segment) | (clamp & ~segment);
        const int lowest = lane & segment;
        int from = lane;
        bool valid = false;
        switch (insn.op) {
        case Op::ShflUp:
            from = lane - amount;
            valid = from >= highest;
            break;
        case Op::ShflDown:
            from = lane + amount;
            valid = from <= highest;
            break;
        case Op::ShflBfly:
            from = lane ^ amount;
            valid = from <= highest;
            break;
        default:
            from = lowest | (amount & ~segment);
            valid = from <= highest;
            break;
        }
        if (!valid)
            from = lane;
        inRange |= (valid ? 1u : 0u) << lane;
        // The value of a lane that does not take part is undefined: make it show, and differ.
        const bool there = ((mask & given[lane]) >> from) & 1;
        result[lane] = there ? a[from] : undefined(m_setup.seed, lane);
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

bool Interpreter::vote(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    if (insn.kind == Kind::Activemask) {
        if (insn.args.d != noSlot)
            writeLanes(words(warp.registers, insn.args.d), mask, mask);
        return true;
    }
    std::uint32_t members = 0;
    if (!warpMask(block, warp, insn, mask, members))
        return false;
    if (insn.kind == Kind::WarpSync)
        return true;
    const std::uint32_t* given = words(warp.registers, insn.address);
    for (std::uint32_t left = mask; left;) {
        const std::uint32_t group = given[__builtin_ctz(left)] & mask;
        left &= ~group;
        if (insn.kind == Kind::Vote) {
            std::uint32_t predicate = *words(warp.registers, insn.args.a);
            if (insn.args.imm & 1)
                predicate = ~predicate;
            predicate &= group;
            if (insn.args.d == noSlot)
                continue;
            if (insn.op == Op::VoteBallot) {
                writeLanes(words(warp.registers, insn.args.d), group, predicate);
                continue;
            }
            const bool value = insn.op == Op::VoteAny   ? predicate != 0
                               : insn.op == Op::VoteAll ? predicate == group
                                                        : predicate == group || predicate == 0;
            std::uint32_t* d = words(warp.registers, insn.args.d);
            *d = (*d & ~group) | (value ? group : 0);
        } else if (insn.kind == Kind::Match) {
            auto value = [&](int l) -> std::uint64_t {
                return insn.type == ptx::Type::B64 ? doubles(warp.registers, insn.args.a)[l]
                                                   : words(warp.registers, insn.args.a)[l];
            };
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
                std::uint32_t* d = words(warp.registers, insn.args.d);
                for (std::uint32_t i = group; i; i &= i - 1) {
                    const int l = __builtin_ctz(i);
                    d[l] = insn.op == Op::MatchAny ? result[l] : all ? group : 0;
                }
            }
            if (insn.op == Op::MatchAll && insn.args.e != noSlot) {
                std::uint32_t* p = words(warp.registers, insn.args.e);
                *p = (*p & ~group) | (all ? group : 0);
            }
        } else {
            const std::uint32_t* a = words(warp.registers, insn.args.a);
            std::uint32_t result = a[__builtin_ctz(group)];
            for (std::uint32_t rest = group & (group - 1); rest; rest &= rest - 1) {
                const std::uint32_t v = a[__builtin_ctz(rest)];
                const bool sign = insn.type == ptx::Type::S32;
                const bool less =
                    sign ? static_cast<std::int32_t>(v) < static_cast<std::int32_t>(result) : v < result;
                switch (insn.op) {
                case Op::ReduxAdd:
                    result += v;
                    break;
                case Op::ReduxMin:
                    result = less ? v : result;
                    break;
                case Op::ReduxMax:
                    result = less ? result : v;
                    break;
                case Op::ReduxAnd:
                    result &= v;
                    break;
                case Op::ReduxOr:
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
    }
    return true;
}

void Interpreter::pack(Warp& warp, const Insn& insn, std::uint32_t mask) const
{
    const int bits = 8 * insn.width;
    const std::uint64_t keep = (std::uint64_t(1) << bits) - 1;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        std::uint64_t whole = 0;
        if (insn.kind == Kind::Unpack) {
            whole = insn.valueWide[0] ? doubles(warp.registers, insn.args.a)[l]
                                      : words(warp.registers, insn.args.a)[l];
            for (int e = 0; e < insn.vector; ++e) {
                if (insn.values[e] != noSlot)
                    words(warp.registers, insn.values[e])[l] =
                        static_cast<std::uint32_t>((whole >> (e * bits)) & keep);
            }
            continue;
        }
        for (int e = 0; e < insn.vector; ++e)
            whole |= (words(warp.registers, insn.values[e])[l] & keep) << (e * bits);
        if (insn.valueWide[0])
            doubles(warp.registers, insn.args.d)[l] = whole;
        else
            words(warp.registers, insn.args.d)[l] = static_cast<std::uint32_t>(whole);
    }
}

void Interpreter::isspacep(Warp& warp, const Insn& insn, std::uint32_t mask) const
{
    std::uint32_t bits = 0;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        const std::uint64_t address = doubles(warp.registers, insn.args.a)[l];
        const ptx::Space space = address >= localWindow                         ? ptx::Space::Local
                                 : address >= sharedWindow                      ? ptx::Space::Shared
                                 : address >> regionShift == constantRegion + 1 ? ptx::Space::Const
                                                                                : ptx::Space::Global;
        bits |= (space == insn.space ? 1u : 0u) << l;
    }
    if (insn.args.d == noSlot)
        return;
    std::uint32_t* p = words(warp.registers, insn.args.d);
    *p = (*p & ~mask) | bits;
}

bool Interpreter::arriveBarrier(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    const int lane = __builtin_ctz(mask);
    if (mask != warp.live) {
        if (mask == warp.mask && (joinWaiting(warp) || yieldSplit(warp, true))) {
            m_yielded = true;
            return false;
        }
        return fault(
            block, warp, insn, lane, FaultKind::SyncError,
            fmt::format("divergent barrier: lanes 0x{:08x} of the warp wait here, lanes 0x{:08x} do not come",
                        mask, warp.live & ~mask));
    }
    const std::uint32_t* ids = words(warp.registers, insn.args.a);
    const std::uint32_t id = ids[lane];
    std::int64_t threads = 0;
    bool uniform = true;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1)
        uniform = uniform && ids[__builtin_ctz(rest)] == id;
    if (insn.args.b != noSlot)
        threads = words(warp.registers, insn.args.b)[lane];
    if (!uniform || id > 15)
        return fault(block, warp, insn, lane, FaultKind::SyncError,
                     fmt::format("barrier {} does not exist, or lanes name different ones", id));
    if (insn.args.b != noSlot && (threads <= 0 || threads % lanesPerWarp || threads > 1024))
        return fault(block, warp, insn, lane, FaultKind::SyncError,
                     fmt::format("barrier {} is for {} threads; that must be a multiple of 32", id, threads));
    BarrierState& barrier = block.barriers[id];
    if ((barrier.arrived || barrier.signalled) && barrier.expectedThreads != threads) {
        return fault(block, warp, insn, lane, FaultKind::SyncError,
                     fmt::format("barrier {} is waited for with different numbers of threads ({} and {})", id,
                                 barrier.expectedThreads, threads));
    }
    barrier.expectedThreads = threads;
    if (insn.kind == Kind::BarrierArrive) {
        ++barrier.signalled;
        if (m_level == 2) {
            // What this warp did so far is known to those who wait.
            barrier.signals.emplace_back(warp.index, block.clock.arrive(warp.index));
        }
        // Full without anybody who waits: it begins anew.
        if (!barrier.arrived && barrier.signalled * std::int64_t(lanesPerWarp) >= threads)
            barrier = {};
        return true;
    }
    ++barrier.arrived;
    warp.state = WarpState::AtBarrier;
    warp.barrier = static_cast<int>(id);
    warp.barrierCounted = insn.args.b != noSlot;
    warp.barrierPc = warp.pc;
    warp.barrierPredicates = 0;
    if (insn.kind == Kind::BarrierRed) {
        std::uint32_t predicate = *words(warp.registers, insn.args.c);
        warp.barrierPredicates = insn.args.imm & 4 ? ~predicate : predicate;
    }
    return true;
}

} // namespace sparserl::sim
