// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/execute/divergence.h"

#include <utility>

namespace sparserl::sim {

bool popStack(Warp& warp)
{
    while (!warp.stack.empty()) {
        const StackEntry entry = warp.stack.back();
        warp.stack.pop_back();
        warp.mask = entry.mask & warp.live;
        if (warp.mask) {
            warp.pc = entry.pc;
            warp.reconverge = entry.reconverge;
            return true;
        }
    }
    return false;
}

void divide(Warp& warp, const KernelCode& code, const Insn& branch, std::uint32_t taken, bool swapped)
{
    const std::uint32_t meet = branch.reconverge;
    const bool known = meet < code.code.size();
    if (known && meet != warp.reconverge)
        warp.stack.push_back({meet, warp.reconverge, warp.mask});
    const std::uint32_t inner = known ? meet : warp.reconverge;
    StackEntry sides[2] = {{branch.target, inner, taken}, {warp.pc + 1, inner, warp.mask & ~taken}};
    if (swapped)
        std::swap(sides[0], sides[1]);
    for (const StackEntry& side : sides) {
        if (side.pc != meet || !known)
            warp.stack.push_back(side);
        else if (code.code[meet].kind == Kind::Exit && !code.code[meet].guarded)
            warp.live &= ~side.mask;
    }
    popStack(warp);
}

bool yieldSplit(Warp& warp, bool waiting)
{
    for (std::size_t i = warp.stack.size(); i-- > 0;) {
        const StackEntry entry = warp.stack[i];
        // An entry that holds lanes of this side is where it will meet others, not another side.
        if (entry.waiting || (entry.mask & warp.mask) || !(entry.mask & warp.live))
            continue;
        warp.stack.erase(warp.stack.begin() + static_cast<std::ptrdiff_t>(i));
        warp.stack.push_back({warp.pc, warp.reconverge, warp.mask, waiting});
        warp.pc = entry.pc;
        warp.reconverge = entry.reconverge;
        warp.mask = entry.mask & warp.live;
        return true;
    }
    return false;
}

bool joinWaiting(Warp& warp)
{
    const std::uint32_t before = warp.mask;
    std::erase_if(warp.stack, [&](const StackEntry& entry) {
        // Sides with another meeting point are not on the same path.
        if (!entry.waiting || entry.pc != warp.pc || entry.reconverge != warp.reconverge)
            return false;
        warp.mask |= entry.mask & warp.live;
        return true;
    });
    return warp.mask != before;
}

bool releaseArrived(Warp& warp)
{
    std::uint32_t running = warp.mask; // lanes of this side and of what runs before the entry is reached
    for (std::size_t i = warp.stack.size(); i-- > 0;) {
        StackEntry& entry = warp.stack[i];
        const std::uint32_t arrived = entry.mask & warp.live & ~running;
        running |= entry.mask;
        if (!(entry.mask & warp.mask) || !arrived || entry.waiting)
            continue;
        const StackEntry ahead{entry.pc, entry.reconverge, arrived};
        entry.mask &= ~arrived;
        warp.stack.push_back({warp.pc, warp.reconverge, warp.mask});
        warp.pc = ahead.pc;
        warp.reconverge = ahead.reconverge;
        warp.mask = ahead.mask;
        return true;
    }
    return false;
}

} // namespace sparserl::sim
