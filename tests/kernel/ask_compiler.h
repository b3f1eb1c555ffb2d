// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace sparserl {

struct CompilerSays
{
    bool rejected = false;
    int line = 0; ///< Of the first error, 0 if not known.
    std::string message;
};

/// What NVRTC says of each program text, asked in locked processes; a text whose plan cannot be read is an
/// Error.
Result<std::vector<CompilerSays>> askCompiler(const std::vector<std::string>& programs);

} // namespace sparserl
