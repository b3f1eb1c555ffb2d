// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/execute/warp.h"

namespace sparserl::sim {

/// Continues with the next entry that has live lanes. False if the warp has ended.
bool popStack(Warp& warp);

/// Splits at a branch: the lanes in `taken` go to its target, the others continue; `swapped`: the others run
/// first.
void divide(Warp& warp, const KernelCode& code, const Insn& branch, std::uint32_t taken, bool swapped);

/// Lets another side of a divergent branch run first; false if none can run. Sides that wait here (`waiting`)
/// are not selected again before something else has run.
bool yieldSplit(Warp& warp, bool waiting);

/// Merges sides that wait at the current instruction into this one. True if there were any.
bool joinWaiting(Warp& warp);

/// Lets lanes already at the reconvergence point continue without this side, because they may hold what it
/// waits for (a lock). Threads of a warp are scheduled independently since Volta.
bool releaseArrived(Warp& warp);

} // namespace sparserl::sim
