// SPDX-License-Identifier: Apache-2.0
// The rarer instructions from registers to registers.
#include "device/simulator/execute/warp_executor.h"

namespace sparserl::sim {

void WarpExecutor::scalar(Warp& warp, const Insn& insn, std::uint32_t mask) const
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

void WarpExecutor::pack(Warp& warp, const Insn& insn, std::uint32_t mask) const
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

void WarpExecutor::isInSpace(Warp& warp, const Insn& insn, std::uint32_t mask) const
{
    std::uint32_t bits = 0;
    for (std::uint32_t rest = mask; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        const std::uint64_t address = doubles(warp.registers, insn.args.a)[l];
        bits |= (m_run.code.addresses.spaceOf(address) == insn.space ? 1u : 0u) << l;
    }
    if (insn.args.d == noSlot)
        return;
    std::uint32_t* p = words(warp.registers, insn.args.d);
    *p = (*p & ~mask) | bits;
}

} // namespace sparserl::sim
