// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <string>

namespace sparserl {

/// A verdict as stored in the index.
struct VerdictRow
{
    std::string verdict; ///< Name of the verdict.
    /// In the form ",suspicious,nondeterministic,", so that instr can search for ",FLAG,".
    std::string flags;
    std::string message;
    double speedup = 0, microseconds = 0; ///< 0 if the program is incorrect or was not timed.
    std::string record;                   ///< The whole record as zlib-compressed JSON.
};
VerdictRow verdictRow(const VerdictRecord& record);

/// Parses VerdictRow::flags.
VerdictFlags flagsOf(const std::string& joined);

} // namespace sparserl
