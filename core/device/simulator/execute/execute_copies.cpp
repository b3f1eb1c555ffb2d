// SPDX-License-Identifier: Apache-2.0
// Copies to shared memory that go on while a warp does something else (cp.async).
#include "device/simulator/execute/warp_executor.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace sparserl::sim {

namespace {

// No shared memory holds as many; a program that never waits would fill ours instead.
constexpr std::size_t mostOfWarp = 1u << 16, mostOfAll = 1u << 22;

/// Where each lane's copy goes, and how much of it is read.
struct CopyPlan
{
    std::uint32_t to[lanesPerWarp] = {}, wanted[lanesPerWarp] = {}, from[lanesPerWarp] = {};
    Region* source[lanesPerWarp] = {};
    std::uint32_t reading = 0; ///< Lanes that read anything.
};

/// Where a copy of one lane goes.
std::uint64_t destinationOf(const Warp& warp, const Insn& insn, int lane)
{
    if (insn.valueWide[0])
        return doubles(warp.registers, insn.args.d)[lane] +
               static_cast<std::uint64_t>(std::int64_t(std::int32_t(insn.args.imm)));
    return words(warp.registers, insn.args.d)[lane] + insn.args.imm;
}

/// What is wrong with a destination; empty where nothing is.
std::string problemOf(std::uint64_t address, std::uint32_t bytes, std::int64_t sharedBytes)
{
    if (address + bytes > static_cast<std::uint64_t>(sharedBytes) || address + bytes < bytes)
        return fmt::format("copy to shared memory at byte {}, which has {} bytes",
                           static_cast<std::int64_t>(address), sharedBytes);
    if (address % bytes)
        return fmt::format("misaligned copy of {} bytes to byte {} of shared memory", bytes, address);
    return {};
}

} // namespace

/// A copy may write at any time until it is waited for: whatever its own thread does with the same bytes
/// before is a race. (What other threads do there meanwhile, and to its source, is looked at when the copy is
/// waited for.)
bool WarpExecutor::meetsCopy(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask,
                             const std::uint32_t* offsets, std::uint32_t bytes, const char* what)
{
    // The lanes of ldmatrix read its rows together, whichever of them names the address.
    const bool together = insn.kind == Kind::LoadMatrix;
    m_run.steps.charge(warp.copies.size() / (together ? 4 : 128));
    for (const PendingCopy& copy : warp.copies) {
        for (std::uint32_t rest = together ? mask : mask & (1u << copy.lane); rest; rest &= rest - 1) {
            const std::uint32_t offset = offsets[__builtin_ctz(rest)];
            if (offset >= copy.to + copy.bytes || copy.to >= offset + bytes)
                continue;
            m_run.fault(block, warp, insn, copy.lane, FaultKind::Race,
                        fmt::format("race on byte {} of shared memory: {} while an asynchronous copy of the "
                                    "same thread to it may be under way (wait for the copy first)",
                                    std::max(copy.to, offset), what));
            return true;
        }
    }
    return false;
}

template <int Level>
bool WarpExecutor::copyAsync(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    const std::uint32_t bytes = insn.width;
    CopyPlan plan;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        const std::uint64_t address = destinationOf(warp, insn, l) - m_run.code.addresses.firstShared;
        if (std::string problem = problemOf(address, bytes, m_memory.sharedBytes()); !problem.empty())
            return m_run.fault(block, warp, insn, l, FaultKind::OutOfBounds, std::move(problem));
        plan.to[l] = static_cast<std::uint32_t>(address);
        plan.wanted[l] =
            insn.args.a == noSlot ? bytes : std::min(bytes, words(warp.registers, insn.args.a)[l]);
        plan.reading |= (plan.wanted[l] ? 1u : 0u) << l;
    }
    std::array<std::array<std::byte, 16>, lanesPerWarp> data{};
    Chain latency;
    const auto visit = [&](const AddressedMemory& target, std::uint32_t group, const std::uint32_t* offsets) {
        if (checksAll(Level) && !m_memory.checkRead(block, warp, insn, target, group, offsets))
            return false;
        for (std::uint32_t rest = group; rest; rest &= rest - 1) {
            const int l = __builtin_ctz(rest);
            std::memcpy(data[l].data(), target.host + offsets[l], plan.wanted[l]);
            plan.source[l] = target.region;
            plan.from[l] = offsets[l];
        }
        if (counts(Level) && target.region)
            m_profiler.accountGlobal(block.cost, insn, target, group, offsets, Traffic::Read, latency);
        return true;
    };
    if (plan.reading && !m_memory.forTargets(block, warp, insn, plan.reading, visit))
        return false;
    if constexpr (checksAll(Level)) {
        // It may write as soon as it is issued, and until it is waited for.
        const std::uint64_t values[4 * lanesPerWarp] = {};
        if (!m_memory.checkRaces(block, warp, insn, addressedShared(block), mask, plan.to, {true, false},
                                 values))
            return false;
    }
    m_run.pendingCopies += static_cast<std::size_t>(bitCount(mask));
    if (warp.copies.size() > mostOfWarp || m_run.pendingCopies > mostOfAll)
        return m_run.fault(
            block, warp, insn, __builtin_ctz(mask), FaultKind::Timeout,
            fmt::format(
                "more than {} asynchronous copies of a warp, or {} of all, are under way: the program does "
                "not wait for them",
                mostOfWarp, mostOfAll));
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        warp.copies.push_back({&insn, plan.source[l], plan.from[l], plan.to[l], warp.copyGroups[l],
                               m_memory.races().stamp(), static_cast<std::uint8_t>(l),
                               static_cast<std::uint8_t>(bytes), static_cast<std::uint8_t>(plan.wanted[l]),
                               data[l]});
    }
    if constexpr (counts(Level)) {
        // As a load: not before the address is known, which may have been loaded itself.
        Chain arrives = warp.time.base;
        for (int i = 0; i < insn.readCount; ++i)
            arrives.join(warp.ready[insn.reads[i]]);
        arrives.add(latency);
        warp.copied.join(arrives);
    }
    schedule<Level>(warp, insn, Chain());
    return true;
}

template <int Level>
bool WarpExecutor::copyWait(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    if constexpr (counts(Level)) {
        warp.time.last.join(warp.copied);
        warp.time.closeRun(0);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < warp.copies.size(); ++i) {
        const PendingCopy& copy = warp.copies[i];
        const bool done = (mask >> copy.lane) & 1 &&
                          (insn.args.e || copy.group + insn.args.imm < warp.copyGroups[copy.lane]);
        if (!done) {
            warp.copies[kept++] = copy;
            continue;
        }
        if constexpr (checksAll(Level)) {
            if (copy.source && !m_memory.checkCopied(block, warp, *copy.insn, copy.lane, *copy.source,
                                                     {copy.from, copy.wanted, copy.began}))
                return false;
            if (!m_memory.checkCopiedTo(block, warp, *copy.insn, copy.lane,
                                        {copy.to, copy.bytes, copy.began}))
                return false;
            std::uint32_t offsets[lanesPerWarp] = {};
            offsets[copy.lane] = copy.to;
            const std::uint64_t values[4 * lanesPerWarp] = {};
            if (!m_memory.checkRaces(block, warp, *copy.insn, addressedShared(block), 1u << copy.lane,
                                     offsets, {true, false}, values))
                return false;
            block.sharedWritten.set(copy.to, copy.bytes);
        }
        std::memcpy(block.shared.data() + copy.to, copy.data.data(), copy.bytes);
    }
    m_run.pendingCopies -= warp.copies.size() - kept;
    warp.copies.resize(kept);
    // Looking through many that are not waited for is work.
    m_run.steps.charge(kept / 128);
    return true;
}

template bool WarpExecutor::copyAsync<0>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::copyAsync<1>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::copyAsync<2>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::copyAsync<3>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::copyWait<0>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::copyWait<1>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::copyWait<2>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::copyWait<3>(BlockContext&, Warp&, const Insn&, std::uint32_t);

} // namespace sparserl::sim
