// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sparserl {

/// Resources of one kernel on the device, as decided by the assembler.
struct KernelResources
{
    std::string kernel;
    int registers = 0;              ///< Per thread.
    std::int64_t staticShared = 0;  ///< Bytes per block, without dynamic shared memory.
    std::int64_t localBytes = 0;    ///< Per thread: stack frame and spills.
    std::int64_t constantBytes = 0; ///< Bytes in constant bank 0: the parameters and the driver's part.
};

} // namespace sparserl
