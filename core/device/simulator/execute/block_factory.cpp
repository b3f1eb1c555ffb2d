// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/execute/block_factory.h"

#include "device/simulator/lanes/registers.h"

#include <algorithm>
#include <cstring>

namespace sparserl::sim {

std::int64_t BlockFactory::bytesOfBlock() const
{
    const KernelCode& code = m_run.code;
    const std::int64_t warpBytes = std::int64_t(code.registerBytes) +
                                   std::int64_t(code.scoreboardSize) * std::int64_t(sizeof(Chain)) +
                                   code.localBytes * lanesPerWarp * 9 / 8 + 4096;
    return warpBytes * m_run.warpsPerBlock + m_run.sharedBytes * 14 + 4096;
}

std::unique_ptr<BlockContext> BlockFactory::make() const
{
    const KernelCode& code = m_run.code;
    auto block = std::make_unique<BlockContext>();
    const std::size_t bytes = (code.registerBytes + 63) / 64 * 64;
    block->registers.reset(bytes * m_run.warpsPerBlock + 64);
    auto* const base = reinterpret_cast<std::byte*>(
        (reinterpret_cast<std::uintptr_t>(block->registers.data()) + 63) / 64 * 64);
    block->shared.resize(m_run.sharedBytes + 16);
    block->local.reset(code.localBytes * m_run.warpsPerBlock * lanesPerWarp + 16);
    if (code.localBytes)
        block->localWritten.reset(block->local.size());
    block->warps.resize(m_run.warpsPerBlock);
    for (int w = 0; w < m_run.warpsPerBlock; ++w) {
        Warp& warp = block->warps[w];
        warp.index = w;
        warp.registers = base + bytes * w;
        warp.ready.assign(counts(m_run.level) ? code.scoreboardSize : 0, Chain());
        setConstants(warp);
        setSpecialRegisters(warp);
    }
    return block;
}

void BlockFactory::setConstants(Warp& warp) const
{
    const auto fill = [&](std::uint32_t offset, bool wide, std::uint64_t bits) {
        if (wide)
            std::fill_n(doubles(warp.registers, offset), lanesPerWarp, bits);
        else
            std::fill_n(words(warp.registers, offset), lanesPerWarp, static_cast<std::uint32_t>(bits));
    };
    for (const KernelCode::Constant& constant : m_run.code.constants)
        fill(constant.offset, constant.wide, constant.bits);
    for (const KernelCode::ParamUse& use : m_run.code.paramUses) {
        std::uint64_t bits = readBytes(m_run.setup.params.data() + use.at, use.bytes);
        if (use.sign && use.bytes < 8 && (bits >> (8 * use.bytes - 1)) & 1)
            bits |= ~std::uint64_t(0) << (8 * use.bytes);
        fill(use.offset, use.wide, bits);
    }
}

void BlockFactory::setSpecialRegisters(Warp& warp) const
{
    using S = ptx::SpecialRegister;
    const LaunchShape& shape = m_run.setup.shape;
    for (int l = 0; l < lanesPerWarp; ++l) {
        const std::array<std::int64_t, 3> thread = shape.threadIndex(warp.index, l);
        const std::uint32_t bit = 1u << l;
        const auto put = [&](S which, std::uint64_t value) {
            const std::uint32_t slot = m_run.code.specials[static_cast<std::size_t>(which)];
            if (slot != noSlot)
                words(warp.registers, slot)[l] = static_cast<std::uint32_t>(value);
        };
        put(S::TidX, thread[0]);
        put(S::TidY, thread[1]);
        put(S::TidZ, thread[2]);
        put(S::NtidX, shape.block[0]);
        put(S::NtidY, shape.block[1]);
        put(S::NtidZ, shape.block[2]);
        put(S::NctaidX, shape.grid[0]);
        put(S::NctaidY, shape.grid[1]);
        put(S::NctaidZ, shape.grid[2]);
        put(S::LaneId, l);
        put(S::LanemaskEq, bit);
        put(S::LanemaskLt, bit - 1);
        put(S::LanemaskLe, bit | (bit - 1));
        put(S::LanemaskGe, ~(bit - 1));
        put(S::LanemaskGt, ~(bit | (bit - 1)));
    }
}

void BlockFactory::chooseLateWarp(BlockContext& block)
{
    const auto warps = static_cast<std::uint64_t>(m_run.warpsPerBlock);
    block.lateTurns = 0;
    block.lateWarp = m_run.shuffled && warps > 1 && (m_run.random.next() & 3) == 0
                         ? static_cast<int>(m_run.random.next() % warps)
                         : -1;
    block.heldAtTurn = false;
}

void BlockFactory::start(BlockContext& block, std::uint32_t number)
{
    block.number = number;
    block.barriers = {};
    block.cost = {};
    block.ended = 0;
    block.ticket = false;
    block.now = 0;
    block.nextWarp = m_run.shuffled ? m_run.random.next() % m_run.warpsPerBlock : 0;
    block.generation = ++m_generation;
    chooseLateWarp(block);
    const bool drawn = m_run.drawn && m_run.checkedBlocks.contains(number);
    block.level = !drawn ? m_run.level : counts(m_run.level) ? 2 : 3;
    block.tracked = checksAll(block.level) || (m_run.drawn && m_run.code.orders);
    if (block.tracked) {
        block.clock.reset(number, m_run.warpsPerBlock);
        block.clock.checked = checksAll(block.level);
    }
    if (checksAll(block.level)) {
        if (!block.sharedWritten.active()) {
            block.sharedWritten.reset(m_run.sharedBytes);
            block.sharedHistory.reset(m_run.sharedBytes / 4 + 1);
        }
        block.sharedWritten.clear();
    }
    block.localWritten.clear();
    // What another block left behind must not look like a result.
    const std::uint32_t nothing =
        0x7fc00001u |
        static_cast<std::uint32_t>((m_run.setup.seed * 0x9e3779b97f4a7c15u + number * 0x632be5abu) >> 42);
    auto* const sharedWords = reinterpret_cast<std::uint32_t*>(block.shared.data());
    std::fill_n(sharedWords, block.shared.size() / 4, nothing);
    // Blocks must not be free because they do nothing but begin.
    m_run.steps.charge(static_cast<std::uint64_t>(m_run.sharedBytes) / 16384 +
                       m_run.code.unwritten.size() * static_cast<std::uint64_t>(m_run.warpsPerBlock) / 64);
    for (Warp& warp : block.warps)
        startWarp(block, warp);
}

void BlockFactory::startWarp(BlockContext& block, Warp& warp)
{
    const std::int64_t lanes = std::min<std::int64_t>(
        m_run.setup.shape.threads() - std::int64_t(warp.index) * lanesPerWarp, lanesPerWarp);
    warp.live = warp.mask = lanes >= 32 ? allLanes : (1u << lanes) - 1;
    warp.pc = 0;
    warp.reconverge = static_cast<std::uint32_t>(m_run.code.code.size());
    warp.stack.clear();
    warp.spinCount = 0;
    warp.spun = false;
    warp.backward = 0;
    warp.state = WarpState::Ready;
    poison(block, warp);
    warp.time = {};
    m_run.pendingCopies -= warp.copies.size();
    warp.copies.clear();
    warp.copyGroups.fill(0);
    warp.copied = {};
    warp.marks.clear();
    const std::array<std::int64_t, 3> index = m_run.setup.shape.blockIndex(block.number);
    for (int axis = 0; axis < 3; ++axis) {
        const std::uint32_t slot =
            m_run.code.specials[static_cast<std::size_t>(ptx::SpecialRegister::CtaidX) + axis];
        if (slot != noSlot)
            std::fill_n(words(warp.registers, slot), lanesPerWarp, static_cast<std::uint32_t>(index[axis]));
    }
}

void BlockFactory::poison(const BlockContext& block, const Warp& warp) const
{
    std::uint64_t hash = (m_run.setup.seed * 0x9e3779b97f4a7c15u) ^
                         ((std::uint64_t(block.number) * 64 + static_cast<std::uint64_t>(warp.index) + 1) *
                          0xbf58476d1ce4e5b9u) ^
                         m_run.setup.launchNumber;
    for (const KernelCode::Unwritten& reg : m_run.code.unwritten) {
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

} // namespace sparserl::sim
