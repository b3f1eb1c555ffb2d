// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/counters.h"
#include "widgets/kernels/code_listing.h"

#include <vector>

namespace sparserl {

/// Counters per line of a SASS listing, derived from those per PTX line. The simulated device runs PTX, and
/// the mapping of its instructions to SASS is unknown, but both state their program line. The counts of one
/// kind of instruction (global, local and shared memory, atomics, branches, others) on a program line are
/// distributed equally over the SASS instructions of that kind on the line. This is exact for one-to-one
/// translations, as for most memory accesses, and otherwise an estimate.
std::vector<LineCounters> sassCounters(const CodeListing& ptx, const std::vector<LineCounters>& ptxLines,
                                       const CodeListing& sass);

} // namespace sparserl
