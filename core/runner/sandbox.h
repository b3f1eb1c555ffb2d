// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// What a locked runner may still use. Everything it needs must be open before the lock.
struct SandboxLimits
{
    std::uint64_t addressSpaceBytes = 0; ///< On top of what is mapped at the moment of locking.
    std::uint64_t cpuSeconds = 0;        ///< For the rest of the process's life.
    int keepDescriptor = -1;             ///< The one file that stays open.
};

/// What is in force, and what this machine lacks.
struct SandboxReport
{
    std::vector<std::string> active;  ///< "seccomp", "landlock", ...
    std::vector<std::string> missing; ///< Sentences.
};

/// Gives up everything but computing and one descriptor: closes files, empties the file system (Landlock,
/// else an empty root where allowed), drops root, sets limits, and allows some thirty system calls
/// (docs/design.md 2, docs/formats.md 4). seccomp must work; the rest degrades with a sentence. Cannot be
/// undone.
Result<SandboxReport> lockDown(const SandboxLimits& limits);

/// SIGXCPU after `seconds` more of CPU time, at most the hard limit set by lockDown.
void allowCpuSeconds(std::uint64_t seconds);

} // namespace sparserl
