// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "machine/sandbox_level.h"
#include "runner/call_filter.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// Limits of a locked runner. All its files must be open before the lock.
struct SandboxLimits
{
    std::uint64_t addressSpaceBytes = 0; ///< Beyond the memory that is mapped when the process is locked.
    std::uint64_t cpuSeconds = 0;        ///< CPU time for the rest of the process's life.
    int keepDescriptor = -1;             ///< The descriptor that stays open.
    int keepAlso = -1;                   ///< The descriptor of a Witness, which also stays open.
};

/// Mechanisms that a lock may use. Tests disable some to simulate machines without them.
struct SandboxMeans
{
    bool landlock = true, nameSpaces = true;
    Refusal refusal = Refusal::Error;
};

/// The measures that are in force and the measures that this machine lacks.
struct SandboxReport
{
    std::vector<std::string> active;  ///< "seccomp", "landlock", ...
    std::vector<std::string> missing; ///< Sentences about missing measures.
    bool callsFiltered = false;       ///< System calls are filtered, by either CallList.
    bool neededCallsOnly = false;     ///< System calls are filtered by CallList::Needed.
    bool opensNothing = false;        ///< No allowed call can open files.
    bool landlock = false;            ///< Files, including those of /proc, are out of reach.
    bool ownRoot = false;             ///< Files of the user are not visible.
    /// The process has another user, or another user namespace, than the process that started it.
    bool apart = false;
    int listener = -1; ///< Descriptor that reports refused calls (Refusal::Witnessed).

    SandboxLevel level() const;
    /// Returns what is missing for the highest level, each in a few words ("no Landlock"). Empty at the
    /// highest level.
    std::vector<std::string> lacks() const;
};

/// Restricts this process to computing and one descriptor: closes files, makes the file system inaccessible
/// (with an empty root and Landlock, where this machine allows them), drops root, sets limits, and allows
/// only some forty system calls (docs/design.md 2, docs/formats.md 4). Fails if seccomp does not work. If
/// another measure fails, the report gets a sentence. The lock cannot be undone.
Result<SandboxReport> lockDown(const SandboxLimits& limits, const SandboxMeans& means = {});

/// Lets the kernel send SIGXCPU after another `seconds` of CPU time, or at the hard limit set by lockDown()
/// if it comes first.
void allowCpuSeconds(std::uint64_t seconds);

} // namespace sparserl
