// SPDX-License-Identifier: Apache-2.0
// Follows values that nothing wrote from the load to where they are used, or to where they are lost.
#include "device/simulator/execute/warp_executor.h"

namespace sparserl::sim {

namespace {

using Operands = std::span<const RegisterOperands::Operand>;

/// Lanes of the register at `slot` that are marked, if the instruction reads it.
std::uint32_t marksAt(const Warp& warp, const RegisterOperands& registers, Operands operands,
                      std::uint32_t slot)
{
    std::uint32_t lanes = 0;
    for (const auto& operand : operands) {
        if (!operand.write && !operand.guard && registers.slot(operand.number) == slot)
            lanes |= warp.marks.lanes(operand.number);
    }
    return lanes;
}

/// Lanes for which the result depends on the operand at `slot`.
std::uint32_t dependent(const Warp& warp, const RegisterOperands& registers, Operands operands,
                        const Insn& insn, std::uint32_t slot)
{
    const LaneArgs& args = insn.args;
    if (insn.kind != Kind::Lane || insn.passes == Passes::All)
        return allLanes;
    std::uint32_t lanes = 0;
    if (insn.passes == Passes::Chosen) {
        const std::uint32_t chosen = *words(warp.registers, args.c);
        lanes |= slot == args.a ? chosen : 0;
        lanes |= slot == args.b ? ~chosen : 0;
        return slot == args.c ? allLanes : lanes;
    }
    // A predicate beside one that settles the result alone is of no consequence.
    const std::uint32_t sources[] = {args.a, args.b};
    for (int i = 0; i < 2; ++i) {
        if (slot != sources[i])
            continue;
        const std::uint32_t other = sources[1 - i];
        std::uint32_t value = *words(warp.registers, other);
        if ((args.imm >> (1 - i)) & 1)
            value = ~value;
        lanes |= marksAt(warp, registers, operands, other) | (insn.passes == Passes::Both ? value : ~value);
    }
    return lanes;
}

/// Operations that give their result for each lane from the operands of that lane.
bool isPerLane(Kind kind)
{
    return kind == Kind::Lane || kind == Kind::Scalar || kind == Kind::Pack || kind == Kind::Unpack;
}

} // namespace

void WarpExecutor::markUnwritten(Warp& warp, const Insn& insn, const AddressedMemory& target,
                                 std::uint32_t mask, const std::uint32_t* offsets) const
{
    const RegisterOperands& registers = m_run.code.operands;
    const Operands operands = registers.of(warp.pc);
    UnwrittenMarks::Origin& origin = warp.marks.originOf(insn);
    origin.space = target.space;
    origin.region = target.region;
    auto operand = operands.begin();
    for (int e = 0; e < insn.vector; ++e) {
        if (insn.values[e] == noSlot)
            continue;
        while (!operand->write)
            ++operand;
        const std::uint32_t number = (operand++)->number;
        const std::uint32_t lanes =
            MemorySystem::unwrittenLanes(target, mask, offsets, std::uint32_t(e) * insn.width, insn.width);
        for (std::uint32_t rest = lanes; rest; rest &= rest - 1)
            origin.offsets[__builtin_ctz(rest)] = offsets[__builtin_ctz(rest)];
        origin.lanes |= lanes;
        warp.marks.set(number, (warp.marks.lanes(number) & ~mask) | lanes, &origin, registers.registers());
    }
}

bool WarpExecutor::followMarks(BlockContext& block, Warp& warp, const Insn& insn, std::uint32_t mask)
{
    const RegisterOperands& registers = m_run.code.operands;
    const Operands operands = registers.of(warp.pc);
    std::uint32_t passed = 0;
    const UnwrittenMarks::Origin* from = nullptr;
    for (const auto& operand : operands) {
        if (operand.write)
            continue;
        std::uint32_t lanes = warp.marks.lanes(operand.number) & (operand.guard ? warp.mask : mask);
        if (!lanes)
            continue;
        const UnwrittenMarks::Origin& origin = warp.marks.origin(operand.number);
        if (operand.guard || !isPerLane(insn.kind)) {
            // Of a value that comes of several loads, the one that is remembered is named.
            const int lane = __builtin_ctz(lanes & origin.lanes ? lanes & origin.lanes : origin.lanes);
            AddressedMemory target;
            target.space = origin.space;
            target.region = origin.region;
            return m_memory.unwrittenFault(block, warp, *origin.load, lane, target, origin.offsets[lane]);
        }
        lanes &= dependent(warp, registers, operands, insn, registers.slot(operand.number));
        if (lanes && !from)
            from = &origin;
        passed |= lanes;
    }
    for (const auto& operand : operands) {
        if (!operand.write)
            continue;
        const std::uint32_t before = warp.marks.lanes(operand.number), now = (before & ~mask) | passed;
        if (before || now)
            warp.marks.set(operand.number, now, from ? from : &warp.marks.origin(operand.number),
                           registers.registers());
    }
    return true;
}

} // namespace sparserl::sim
