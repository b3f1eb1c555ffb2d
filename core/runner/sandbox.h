// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "machine/sandbox_level.h"
#include "runner/call_filter.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// What a locked runner may still use. Everything it needs must be open before the lock.
struct SandboxLimits
{
    std::uint64_t addressSpaceBytes = 0; ///< On top of what is mapped at the moment of locking.
    std::uint64_t cpuSeconds = 0;        ///< For the rest of the process's life.
    int keepDescriptor = -1;             ///< The one file that stays open,
    int keepAlso = -1;                   ///< and that of a Witness.
};

/// What a lock may be made of. Tests pretend that a machine lacks some of it.
struct SandboxMeans
{
    bool landlock = true, nameSpaces = true;
    Refusal refusal = Refusal::Error;
};

/// What is in force, and what this machine lacks.
struct SandboxReport
{
    std::vector<std::string> active;  ///< "seccomp", "landlock", ...
    std::vector<std::string> missing; ///< Sentences.
    bool callsFiltered = false;       ///< By either list.
    bool neededCallsOnly = false;     ///< By the list of what the role needs.
    bool opensNothing = false;        ///< None of the calls that it may make opens files.
    bool landlock = false;            ///< Files, of /proc too, are out of reach.
    bool ownRoot = false;             ///< Files of the user are not there.
    bool apart = false;               ///< Another user, or a user name space, than who started it.
    int listener = -1;                ///< Of refused calls (Refusal::Witnessed).

    SandboxLevel level() const;
    /// What keeps it from the highest level, in a few words, such as "no Landlock"; empty at the highest.
    std::vector<std::string> lacks() const;
};

/// Gives up everything but computing and one descriptor: closes files, empties the file system (Landlock,
/// else an empty root where allowed), drops root, sets limits, and allows some forty system calls
/// (docs/design.md 2, docs/formats.md 4). seccomp must work; the rest degrades with a sentence. Cannot be
/// undone.
Result<SandboxReport> lockDown(const SandboxLimits& limits, const SandboxMeans& means = {});

/// SIGXCPU after `seconds` more of CPU time, at most the hard limit set by lockDown.
void allowCpuSeconds(std::uint64_t seconds);

} // namespace sparserl
