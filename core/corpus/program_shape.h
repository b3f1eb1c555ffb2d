// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/task.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The properties of a program that the recognisers of kernel families (KernelFamily::recognise) examine. All
/// recognisers use one scale: 200 and above for rows split into parts, 100 to 199 for a storage format named
/// by a launch line, below 100 for code that uses only CSR. A program may name several formats, so a more
/// specialised format has a higher value. Below 100, more specialised instructions have a higher value.
struct ProgramShape
{
    Task task = Task::SpMV;
    bool launched = false;            ///< The program has a launch line. Otherwise it is not recognised.
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
    bool vectorLoads = false; ///< float2, float4, double2, ...
    bool rowPerBlock = false; ///< blockIdx.x alone determines the row, or several blocks share it.
    int storesToC = 0;        ///< The number of assignments to elements of C in the text.
    std::int64_t lanes = 0;   ///< Threads per row, deduced from divisions; 0 if unknown.

    /// Whether a launch line names one of these formats.
    bool names(std::initializer_list<std::string_view> kinds) const;
};

/// Determines the shape of a program. Accepts any bytes.
ProgramShape shapeOf(std::string_view program);

} // namespace sparserl
