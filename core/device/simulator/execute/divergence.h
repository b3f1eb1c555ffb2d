// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/execute/warp.h"

namespace sparserl::sim {

/// Continues with the next entry that has live lanes; false when the warp has ended.
bool popStack(Warp& warp);

/// The lanes of `taken` go to the target of a branch, the others on; `swapped`: these first.
void divide(Warp& warp, const KernelCode& code, const Insn& branch, std::uint32_t taken, bool swapped);

/// Lets another side of a divergent branch run first; false where there is none that can. Sides that wait
/// here (`waiting`) are not chosen again before something else has run.
bool yieldSplit(Warp& warp, bool waiting);

/// Sides that wait at the instruction where this one is now become one with it. True if there were any.
bool joinWaiting(Warp& warp);

/// Lets lanes that have arrived where this side will meet them go on without it: they may hold what this
/// side waits for (a lock). Threads of a warp are scheduled independently since Volta.
bool releaseArrived(Warp& warp);

} // namespace sparserl::sim
