// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/counters.h"
#include "widgets/kernels/code_listing.h"

#include <vector>

namespace sparserl {

/// Counters by line of a listing of SASS, from those by line of the PTX. The simulated device runs PTX, and
/// no one knows which of its instructions an assembler made into which of SASS; but both say from which line
/// of the program they come. What the instructions of one kind (global, local and shared memory, atomics,
/// branches, others) did on a line of the program is shared equally among the SASS instructions of that kind
/// on that line. Where one became one, as most accesses to memory do, that is what it did; else an estimate.
std::vector<LineCounters> sassCounters(const CodeListing& ptx, const std::vector<LineCounters>& ptxLines,
                                       const CodeListing& sass);

} // namespace sparserl
