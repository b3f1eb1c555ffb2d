// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace sparserl {

/// The verdict on a program for a target. The order is as in docs/formats.md 2.
enum class Verdict
{
    PlanError,
    StoppedEarly,
    MachineError, ///< Says nothing about the program: this machine lacks a header that it includes.
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
bool isCompiled(Verdict verdict); ///< Returns true for all verdicts after `Rejected`.

} // namespace sparserl
