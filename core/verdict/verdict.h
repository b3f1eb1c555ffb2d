// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace sparserl {

/// What became of a program on a matrix (docs/formats.md 2). The order is the order of the lists there.
enum class Verdict
{
    PlanError,
    StoppedEarly,
    MachineError, ///< Nothing is said of the program: this machine lacks what it includes.
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
