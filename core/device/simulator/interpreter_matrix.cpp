// SPDX-License-Identifier: Apache-2.0
// Matrix instructions, asynchronous copies, and what is computed one lane at a time.
#include "device/simulator/interpreter.h"
#include "device/simulator/interpreter_targets.h"

#include <algorithm>
#include <bit>

namespace sparserl::sim {

namespace {

using ptx::Type;

float single(std::uint32_t bits)
{
    return std::bit_cast<float>(bits);
}

} // namespace

void Interpreter::scalar(Warp& warp, const Insn& insn, std::uint32_t mask) const
{
    const std::uint32_t slots[] = {insn.args.a, insn.args.b, insn.args.c};
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        std::uint64_t in[3];
        for (int i = 0; i < 3; ++i)
            in[i] =
                insn.valueWide[i] ? doubles(warp.registers, slots[i])[l] : words(warp.registers, slots[i])[l];
        const std::uint64_t out = insn.scalar(in[0], in[1], in[2]);
        if (insn.valueWide[3])
            doubles(warp.registers, insn.args.d)[l] = out;
        else
            words(warp.registers, insn.args.d)[l] = static_cast<std::uint32_t>(out);
    }
}

bool Interpreter::wholeWarp(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    if (mask == allLanes)
        return true;
    if (mask == warp.mask && (joinWaiting(warp) || yieldSplit(warp, true))) {
        m_yielded = true;
        return false;
    }
    return fault(block, warp, insn, __builtin_ctz(mask), FaultKind::SyncError,
                 fmt::format("a matrix instruction needs all 32 lanes; 0x{:08x} are here", mask));
}

bool Interpreter::matrixMultiply(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    if (!wholeWarp(block, warp, insn, mask))
        return false;
    const ptx::OpcodeForm& form = *m_code.matrixForms[insn.args.e];
    const ptx::MatrixShape& shape = form.matrix;
    const std::uint32_t* const d = m_code.matrixSlots.data() + insn.args.imm;
    const std::uint32_t *const a = d + shape.d, *const b = a + shape.a, *const c = b + shape.b;
    // Fragments as in the PTX manual: lane 4 g + t holds rows g (and g + 8) of A and D, columns g of B.
    double left[16][16] = {}, right[16][8] = {}, sum[16][8] = {};
    const bool pairs = form.source == Type::F16 || form.source == Type::BF16;
    const auto half = [&](std::uint32_t bits) {
        return form.source == Type::F16 ? fromHalf(bits) : fromBrain(bits);
    };
    const auto number = [&](std::uint32_t slot, int l) {
        return form.source == Type::F64 ? std::bit_cast<double>(doubles(warp.registers, slot)[l])
                                        : double(single(words(warp.registers, slot)[l] & 0xffffe000u));
    };
    for (int l = 0; l < lanesPerWarp; ++l) {
        const int g = l / 4, t = l % 4;
        for (int r = 0; r < shape.a; ++r) {
            const int row = g + 8 * (r & 1);
            if (!pairs) {
                left[row][t + 4 * (r >> 1)] = number(a[r], l);
                continue;
            }
            const std::uint32_t bits = words(warp.registers, a[r])[l];
            for (int h = 0; h < 2; ++h)
                left[row][2 * t + 8 * (r >> 1) + h] = half(bits >> (16 * h));
        }
        for (int r = 0; r < shape.b; ++r) {
            if (!pairs) {
                right[t + 4 * r][g] = number(b[r], l);
                continue;
            }
            const std::uint32_t bits = words(warp.registers, b[r])[l];
            for (int h = 0; h < 2; ++h)
                right[2 * t + 8 * r + h][g] = half(bits >> (16 * h));
        }
        for (int r = 0; r < shape.c; ++r) {
            if (form.type == Type::F16) {
                const std::uint32_t bits = words(warp.registers, c[r])[l];
                for (int h = 0; h < 2; ++h)
                    sum[g + 8 * r][2 * t + h] = fromHalf(bits >> (16 * h));
            } else {
                sum[g + 8 * (r >> 1)][2 * t + (r & 1)] =
                    form.type == Type::F64 ? std::bit_cast<double>(doubles(warp.registers, c[r])[l])
                                           : double(single(words(warp.registers, c[r])[l]));
            }
        }
    }
    for (int i = 0; i < shape.m; ++i) {
        for (int j = 0; j < shape.n; ++j) {
            for (int k = 0; k < shape.k; ++k)
                sum[i][j] += left[i][k] * right[k][j];
        }
    }
    for (int l = 0; l < lanesPerWarp; ++l) {
        const int g = l / 4, t = l % 4;
        for (int r = 0; r < shape.d; ++r) {
            if (form.type == Type::F16) {
                words(warp.registers, d[r])[l] =
                    toHalf(sum[g + 8 * r][2 * t]) | toHalf(sum[g + 8 * r][2 * t + 1]) << 16;
                continue;
            }
            const double value = sum[g + 8 * (r >> 1)][2 * t + (r & 1)];
            if (form.type == Type::F64)
                doubles(warp.registers, d[r])[l] = std::bit_cast<std::uint64_t>(value);
            else
                words(warp.registers, d[r])[l] = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        }
    }
    if (m_level == 2)
        block.clock.syncLanes(m_races.store(), warp.index, allLanes, warp.live);
    return true;
}

template <int Level>
bool Interpreter::loadMatrix(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    if (!wholeWarp(block, warp, insn, mask))
        return false;
    const ptx::MatrixShape& shape = m_code.matrixForms[insn.args.e]->matrix;
    const std::uint32_t rows = shape.k == 4 ? allLanes : (1u << (8 * shape.k)) - 1;
    std::array<std::array<std::byte, 16>, lanesPerWarp> row{};
    Chain latency;
    const bool good = forTargets(
        block, warp, insn, rows,
        [&](const Target& target, std::uint32_t group, const std::uint32_t* offsets) {
            if constexpr (Level == 2) {
                if (target.written->active() && !checkWritten(block, warp, insn, target, group, offsets))
                    return false;
                if (target.history && !target.history->empty() &&
                    !checkRaces(block, warp, insn, target, group, offsets, false, false, nullptr))
                    return false;
            }
            for (std::uint32_t rest = group; rest; rest &= rest - 1) {
                const int l = __builtin_ctz(rest);
                std::memcpy(row[l].data(), target.host + offsets[l], 16);
            }
            if constexpr (Level >= 1)
                accountShared(block, insn, group, offsets, latency);
            return true;
        });
    if (!good)
        return false;
    for (int j = 0; j < shape.k; ++j) {
        std::uint32_t* const d = words(warp.registers, m_code.matrixSlots[insn.args.imm + j]);
        for (int l = 0; l < lanesPerWarp; ++l) {
            if (!shape.transposed) {
                std::memcpy(&d[l], row[8 * j + l / 4].data() + 4 * (l % 4), 4);
                continue;
            }
            d[l] = 0;
            for (int h = 0; h < 2; ++h)
                std::memcpy(reinterpret_cast<std::byte*>(&d[l]) + 2 * h,
                            row[8 * j + 2 * (l % 4) + h].data() + 2 * (l / 4), 2);
        }
    }
    schedule<Level>(warp, insn, latency);
    return true;
}

template <int Level>
bool Interpreter::copyAsync(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    const std::uint32_t bytes = insn.width;
    // Where each lane's copy goes, and how much of it is read.
    std::uint32_t to[lanesPerWarp] = {}, wanted[lanesPerWarp] = {}, reading = 0;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        const std::uint64_t address =
            insn.valueWide[0] ? doubles(warp.registers, insn.args.d)[l] +
                                    static_cast<std::uint64_t>(std::int64_t(std::int32_t(insn.args.imm)))
                              : words(warp.registers, insn.args.d)[l] + insn.args.imm;
        if (address + bytes > static_cast<std::uint64_t>(m_sharedBytes) || address + bytes < bytes)
            return fault(block, warp, insn, l, FaultKind::OutOfBounds,
                         fmt::format("copy to shared memory at byte {}, which has {} bytes",
                                     static_cast<std::int64_t>(address), m_sharedBytes));
        if (address % bytes)
            return fault(
                block, warp, insn, l, FaultKind::OutOfBounds,
                fmt::format("misaligned copy of {} bytes to byte {} of shared memory", bytes, address));
        to[l] = static_cast<std::uint32_t>(address);
        wanted[l] = insn.args.a == noSlot ? bytes : std::min(bytes, words(warp.registers, insn.args.a)[l]);
        reading |= (wanted[l] ? 1u : 0u) << l;
    }
    std::array<std::array<std::byte, 16>, lanesPerWarp> data{};
    Chain latency;
    const auto visit = [&](const Target& target, std::uint32_t group, const std::uint32_t* offsets) {
        if constexpr (Level == 2) {
            if (target.written->active() && !checkWritten(block, warp, insn, target, group, offsets))
                return false;
            if (target.history && !target.history->empty() &&
                !checkRaces(block, warp, insn, target, group, offsets, false, false, nullptr))
                return false;
        }
        for (std::uint32_t rest = group; rest; rest &= rest - 1) {
            const int l = __builtin_ctz(rest);
            std::memcpy(data[l].data(), target.host + offsets[l], wanted[l]);
        }
        if constexpr (Level >= 1) {
            if (target.region)
                accountGlobal<Level>(block, insn, target, group, offsets, false, false, latency);
        }
        return true;
    };
    if (reading && !forTargets(block, warp, insn, reading, visit))
        return false;
    // No shared memory holds as many; a program that never waits would fill ours instead.
    constexpr std::size_t most = 1u << 16, mostOfAll = 1u << 22;
    m_pendingCopies += static_cast<std::size_t>(bitCount(mask));
    if (warp.copies.size() > most || m_pendingCopies > mostOfAll)
        return fault(
            block, warp, insn, __builtin_ctz(mask), FaultKind::Timeout,
            fmt::format(
                "more than {} asynchronous copies of a warp, or {} of all, are under way: the program does "
                "not wait for them",
                most, mostOfAll));
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        warp.copies.push_back({&insn, l, to[l], bytes, warp.copyGroups[l], data[l]});
    }
    if constexpr (Level >= 1) {
        Chain arrives = warp.time.base;
        arrives.add(latency);
        warp.copied.join(arrives);
    }
    schedule<Level>(warp, insn, Chain());
    return true;
}

template <int Level>
bool Interpreter::copyWait(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    if constexpr (Level >= 1) {
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
        if constexpr (Level == 2) {
            Target target;
            target.space = Space::Shared;
            target.host = block.shared.data();
            target.written = &block.sharedWritten;
            target.history = &block.sharedHistory;
            target.generation = block.generation;
            target.syncBase = (std::uint64_t(1) << 63) | std::uint64_t(block.number) << 24;
            std::uint32_t offsets[lanesPerWarp] = {};
            offsets[copy.lane] = copy.to;
            std::uint64_t values[4 * lanesPerWarp] = {};
            if (!checkRaces(block, warp, *copy.insn, target, 1u << copy.lane, offsets, true, false, values))
                return false;
            block.sharedWritten.set(copy.to, copy.bytes);
        }
        std::memcpy(block.shared.data() + copy.to, copy.data.data(), copy.bytes);
    }
    m_pendingCopies -= warp.copies.size() - kept;
    warp.copies.resize(kept);
    // Looking through many that are not waited for is work.
    m_stepsLeft -= std::min<std::uint64_t>(m_stepsLeft, kept / 128);
    return true;
}

template bool Interpreter::loadMatrix<0>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::loadMatrix<1>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::loadMatrix<2>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::copyAsync<0>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::copyAsync<1>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::copyAsync<2>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::copyWait<0>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::copyWait<1>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool Interpreter::copyWait<2>(BlockContext&, Warp&, const Insn&, std::uint32_t);

} // namespace sparserl::sim
