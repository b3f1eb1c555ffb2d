// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparserl {

/// Event counts of one line on the simulator.
struct LineCounters
{
    int line = 0; ///< In the program text, or in its PTX, from 1.
    std::int64_t warpInstructions = 0;
    std::int64_t threadInstructions =
        0;                          ///< Sum of active lanes: divergence = 1 - this / (32 * warpInstructions).
    std::int64_t globalSectors = 0; ///< 32-byte sectors requested by loads, stores and atomics.
    std::int64_t l1Hits = 0, l2Hits = 0; ///< Hits among those sectors.
    std::int64_t dramSectors = 0;
    std::int64_t bankConflicts = 0; ///< Extra shared-memory passes.
    std::int64_t atomics = 0;
    std::int64_t divergentBranches = 0;
};

} // namespace sparserl
