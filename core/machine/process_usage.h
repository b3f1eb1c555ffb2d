// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace sparserl {

/// The source of data on processes. The defaults are this machine and this process.
struct ProcessSource
{
    std::filesystem::path proc = "/proc";
    int process = 0;                 ///< The process id; 0: the calling process.
    std::int64_t ticksPerSecond = 0; ///< The unit of times in /proc/PID/stat; 0: the value of this system.
    std::int64_t pageBytes = 0;      ///< 0: the value of this system.
};

/// The fields of /proc/PID/stat (proc(5)) from which ProcessUsage is computed.
struct ProcessStat
{
    std::int64_t ownTicks = 0;    ///< utime + stime.
    std::int64_t waitedTicks = 0; ///< cutime + cstime, for descendants that ended and were waited for.
    std::int64_t residentPages = 0;
    std::int64_t startTicks = 0; ///< Time since boot. A later process with the same id has another value.
    bool ended = false;          ///< The process has ended, but its parent has not waited for it yet.
};
/// Parses the line in /proc/PID/stat; nullopt if it is invalid. The command name in it may contain blanks and
/// parentheses.
std::optional<ProcessStat> parseProcessStat(std::string_view line);

/// Resources used by a process and all its descendants.
struct ProcessUsage
{
    /// CPU time since the processes started, including processes that have ended. Decreases if a descendant
    /// ends and its parent does not wait for it.
    double cpuSeconds = 0;
    std::int64_t ownBytes = 0; ///< Resident memory of the process itself.
    /// Resident memory of all descendants together. A page that several processes share counts for each of
    /// them.
    std::int64_t descendantBytes = 0;
    /// Disk traffic since the processes started. nullopt if the system does not count disk traffic.
    /// Descendants that this process may not inspect are omitted while they live.
    std::optional<std::int64_t> readBytes, writtenBytes;
};
/// Reads the use of a process and its descendants; nullopt if the process itself does not exist. Descendants
/// that end during the call are omitted. If the kernel does not list children (CONFIG_PROC_CHILDREN), live
/// descendants are omitted.
std::optional<ProcessUsage> readProcessUsage(const ProcessSource& source = {});

} // namespace sparserl
