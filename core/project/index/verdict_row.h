// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <string>

namespace sparserl {

/// A verdict as stored in the index.
struct VerdictRow
{
    std::string verdict; ///< Name.
    std::string flags;   ///< ",suspicious,nondeterministic,": searched with instr.
    std::string message;
    double speedup = 0, microseconds = 0; ///< 0 if the program is incorrect or was not timed.
    std::string record;                   ///< The whole record as zlib-compressed JSON.
};
VerdictRow verdictRow(const VerdictRecord& record);

/// Parses the flags of VerdictRow::flags.
VerdictFlags flagsOf(const std::string& joined);

} // namespace sparserl
