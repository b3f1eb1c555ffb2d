// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// The events that the simulator counted for one line of code.
struct LineCounters
{
    int line = 0; ///< Line number in the program text or in its PTX, from 1.
    std::int64_t warpInstructions = 0;
    /// Active lanes, summed over warp instructions. Divergence is 1 - this / (32 * warpInstructions).
    std::int64_t threadInstructions = 0;
    std::int64_t globalSectors = 0;      ///< 32-byte sectors requested by loads, stores and atomics.
    std::int64_t l1Hits = 0, l2Hits = 0; ///< Sectors of globalSectors found in L1 and in L2.
    std::int64_t dramSectors = 0;
    std::int64_t bankConflicts = 0; ///< Additional passes over shared memory.
    std::int64_t atomics = 0;
    std::int64_t divergentBranches = 0;
};

} // namespace sparserl
