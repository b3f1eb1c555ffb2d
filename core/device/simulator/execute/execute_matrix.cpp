// SPDX-License-Identifier: Apache-2.0
// Matrix instructions.
#include "device/simulator/execute/divergence.h"
#include "device/simulator/execute/warp_executor.h"
#include "device/simulator/lanes/small_floats.h"

#include <bit>
#include <cstring>

namespace sparserl::sim {

namespace {

using ptx::Type;

float single(std::uint32_t bits)
{
    return std::bit_cast<float>(bits);
}

} // namespace

bool WarpExecutor::wholeWarp(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    if (mask == allLanes)
        return true;
    if (mask == warp.mask && (joinWaiting(warp) || yieldSplit(warp, true))) {
        m_run.yielded = true;
        return false;
    }
    return m_run.fault(block, warp, insn, __builtin_ctz(mask), FaultKind::SyncError,
                       fmt::format("a matrix instruction needs all 32 lanes; 0x{:08x} are here", mask));
}

bool WarpExecutor::matrixMultiply(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    if (!wholeWarp(block, warp, insn, mask))
        return false;
    const ptx::OpcodeForm& form = *m_run.code.matrixForms[insn.args.e];
    const ptx::MatrixShape& shape = form.matrix;
    const std::uint32_t* const d = m_run.code.matrixSlots.data() + insn.args.imm;
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
    if (block.tracked)
        block.clock.syncLanes(m_memory.races().store(), warp.index, allLanes, warp.live);
    return true;
}

template <int Level>
bool WarpExecutor::loadMatrix(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    if (!wholeWarp(block, warp, insn, mask))
        return false;
    const ptx::MatrixShape& shape = m_run.code.matrixForms[insn.args.e]->matrix;
    const std::uint32_t rows = shape.k == 4 ? allLanes : (1u << (8 * shape.k)) - 1;
    std::array<std::array<std::byte, 16>, lanesPerWarp> row{};
    Chain latency;
    const auto visit = [&](const AddressedMemory& target, std::uint32_t group, const std::uint32_t* offsets) {
        if constexpr (checksAll(Level)) {
            if (!warp.copies.empty() && meetsCopy(block, warp, insn, group, offsets, 16, "read"))
                return false;
            if (!m_memory.checkRead(block, warp, insn, target, group, offsets))
                return false;
        }
        for (std::uint32_t rest = group; rest; rest &= rest - 1) {
            const int l = __builtin_ctz(rest);
            std::memcpy(row[l].data(), target.host + offsets[l], 16);
        }
        if constexpr (counts(Level))
            m_profiler.accountShared(block.cost, insn, group, offsets, latency);
        return true;
    };
    if (!m_memory.forTargets(block, warp, insn, rows, visit))
        return false;
    for (int j = 0; j < shape.k; ++j) {
        std::uint32_t* const d = words(warp.registers, m_run.code.matrixSlots[insn.args.imm + j]);
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

template bool WarpExecutor::loadMatrix<0>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::loadMatrix<1>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::loadMatrix<2>(BlockContext&, Warp&, const Insn&, std::uint32_t);
template bool WarpExecutor::loadMatrix<3>(BlockContext&, Warp&, const Insn&, std::uint32_t);

} // namespace sparserl::sim
