// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <cstdint>
#include <string>

namespace sparserl {

/// The device resources that a program uses, taken from its verdict.
struct ProgramProfile
{
    double shareOfLimit = 0;      ///< Lower limit of the time, divided by the time; in [0, 1]. 0: unknown.
    int registers = 0;            ///< Registers per thread.
    std::int64_t sharedBytes = 0; ///< Shared memory per block, static and dynamic.
    double occupancy = 0;         ///< In [0, 1]; 0: unknown.
    std::string occupancyLimiter; ///< "registers", "shared memory", ...; may be empty.
};

inline ProgramProfile profileOf(const VerdictRecord& record)
{
    return {record.shareOfLimit, record.registers, record.staticShared + record.dynamicShared,
            record.occupancy, record.occupancyLimiter};
}

} // namespace sparserl
