// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/task.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The input of the recognisers of kernel families. They answer on one scale: 200 and above for rows split
/// into parts, 100 to 199 for a storage format named by a launch line, below 100 for code that uses only CSR.
/// A program may name several formats, so the more special a format is, the higher its value. The same
/// applies to instructions below 100.
struct ProgramShape
{
    Task task = Task::SpMV;
    bool launched = false;            ///< The program has a launch line. Without one, it is not recognised.
    bool parts = false;               ///< Rows are split into parts.
    std::vector<std::string> formats; ///< Kinds of storage formats named by launch lines.

    // Words of the code.
    bool kernel = false;     ///< The program has a kernel.
    bool atomics = false;    ///< atomicAdd and similar functions.
    bool blockWaits = false; ///< __syncthreads
    bool warpWaits = false;  ///< __syncwarp
    bool lanesAddUp = false; ///< Shuffles or warp sums.
    bool shuffles = false;   ///< Shuffles.
    bool sharedMemory = false;
    bool vectorLoads = false; ///< float2, float4, and those of doubles
    bool rowPerBlock = false; ///< blockIdx.x alone determines the row, or several blocks share a row.
    int storesToC = 0;        ///< Number of assignments to elements of C in the text.
    std::int64_t lanes = 0;   ///< Threads per row according to divisions; 0 if unknown.

    /// Whether a launch line names one of these formats.
    bool names(std::initializer_list<std::string_view> kinds) const;
};

/// Accepts any bytes.
ProgramShape shapeOf(std::string_view program);

} // namespace sparserl
