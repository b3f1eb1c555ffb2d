// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/execute/warp.h"

namespace sparserl::sim {

/// Continues with the next stack entry that has live lanes. Returns false if the warp has ended.
bool popStack(Warp& warp);

/// Splits a warp at a branch: the lanes in `taken` go to its target, and the other lanes continue. The other
/// lanes run first if `swapped`.
void divide(Warp& warp, const KernelCode& code, const Insn& branch, std::uint32_t taken, bool swapped);

/// Lets another side of a divergent branch run first. Returns false if no other side can run. If this side is
/// `waiting` for other lanes, it is not selected again before another side has run.
bool yieldSplit(Warp& warp, bool waiting);

/// Merges sides that wait at the current instruction into this side. Returns true if there were any.
bool joinWaiting(Warp& warp);

/// Lets lanes that are already at the reconvergence point continue without this side, because they may hold
/// what this side waits for (a lock). Since Volta, threads of a warp are scheduled independently.
bool releaseArrived(Warp& warp);

} // namespace sparserl::sim
