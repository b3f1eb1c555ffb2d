// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sparserl {

/// What one kernel needs on the device, as the assembler decided.
struct KernelResources
{
    std::string kernel;
    int registers = 0;              ///< Per thread.
    std::int64_t staticShared = 0;  ///< Bytes per block, without what the launch adds.
    std::int64_t localBytes = 0;    ///< Per thread: stack frame and spills.
    std::int64_t constantBytes = 0; ///< Of constant bank 0: parameters and the driver's part.
};

} // namespace sparserl
