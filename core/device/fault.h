// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace sparserl {

/// The kinds of a kernel's faults. Each leads to the verdict of the same name (docs/formats.md 2).
enum class FaultKind
{
    LaunchError,
    OutOfBounds,
    Uninitialised,
    Race,
    SyncError,
    Timeout
};

struct Fault
{
    FaultKind kind = FaultKind::LaunchError;
    std::string message; ///< A sentence that names the array and the index if they are known.
    std::string kernel;
    int line = 0; ///< Line in the program text; 0 if unknown.
    std::optional<std::array<std::int64_t, 3>> block, thread;
    bool outOfMemory = false; ///< The work needed more memory than is available.
};

} // namespace sparserl
