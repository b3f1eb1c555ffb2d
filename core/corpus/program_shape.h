// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/task.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// What the recognisers of kernel families look at. They answer on one scale: from 200 on for rows split into
/// parts, from 100 on for a storage format that a launch line names (the more special the format, the more it
/// says: programs may name several), below that for code on CSR alone (the more special the instruction).
struct ProgramShape
{
    Task task = Task::SpMV;
    bool launched = false;            ///< There is a launch line: without one nothing is recognised.
    bool parts = false;               ///< Rows are split into parts.
    std::vector<std::string> formats; ///< Kinds of storage formats that launch lines name.

    // Words of the code.
    bool kernel = false;     ///< A kernel at all.
    bool atomics = false;    ///< atomicAdd and the like.
    bool blockWaits = false; ///< __syncthreads
    bool warpWaits = false;  ///< __syncwarp
    bool lanesAddUp = false; ///< Shuffles or sums of a warp.
    bool shuffles = false;   ///< Shuffles.
    bool sharedMemory = false;
    bool vectorLoads = false; ///< float2, float4, and those of doubles
    bool rowPerBlock = false; ///< A row is taken from blockIdx.x alone, or several blocks share it.
    int storesToC = 0;        ///< Assignments to elements of C, as text.
    std::int64_t lanes = 0;   ///< Threads per row, as divisions say; 0 if nothing says it.

    /// Whether a launch line names one of these formats.
    bool names(std::initializer_list<std::string_view> kinds) const;
};

/// Reads any bytes.
ProgramShape shapeOf(std::string_view program);

} // namespace sparserl
