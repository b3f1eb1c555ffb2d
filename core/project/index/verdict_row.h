// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <string>

namespace sparserl {

/// A verdict as the index keeps it, whoever asked for it.
struct VerdictRow
{
    std::string verdict; ///< Name.
    std::string flags;   ///< ",suspicious,nondeterministic,": searched with instr.
    std::string message;
    double speedup = 0, microseconds = 0; ///< 0 where the program is not correct or was not timed.
    std::string record;                   ///< The whole record: zlib of its JSON.
};
VerdictRow verdictRow(const VerdictRecord& record);

/// The flags of VerdictRow::flags.
VerdictFlags flagsOf(const std::string& joined);

} // namespace sparserl
