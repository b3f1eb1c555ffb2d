// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <string>
#include <vector>

namespace sparserl {

/// Results of the opcode cases on a GPU.
struct OpcodeReport
{
    std::string device;
    std::size_t cases = 0, forms = 0;
    std::vector<std::string> wrong; ///< One sentence per failed case.
};

/// Runs every opcode case (device/testing/opcode_cases.h) on a GPU, in this process, because all PTX is our
/// own. Fails without a GPU or an assembler.
Result<OpcodeReport> runOpcodeCases(int gpu, const CancelToken& cancel);

} // namespace sparserl
