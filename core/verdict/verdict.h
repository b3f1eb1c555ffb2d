// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace sparserl {

/// The verdict on a program for a target (docs/formats.md 2), in the order of the list there.
enum class Verdict
{
    PlanError,
    StoppedEarly,
    MachineError, ///< No statement about the program: a header that it includes is missing on this machine.
    CompileError,
    AssembleError,
    Rejected,
    LaunchError,
    OutOfBounds,
    Uninitialised,
    Race,
    SyncError,
    Timeout,
    WrongResult,
    FormatError,
    Correct
};
std::string_view nameOf(Verdict verdict); ///< "plan-error", "out-of-bounds", ...
std::optional<Verdict> verdictFromName(std::string_view name);
bool isCompiled(Verdict verdict); ///< True for everything after `Rejected`.

} // namespace sparserl
