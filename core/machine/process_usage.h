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
    std::int64_t ticksPerSecond = 0; ///< Unit of the times in stat; 0: the value of this system.
    std::int64_t pageBytes = 0;      ///< 0: the value of this system.
};

/// The fields of /proc/PID/stat (proc(5)) that are used here.
struct ProcessStat
{
    std::int64_t ownTicks = 0;    ///< utime + stime.
    std::int64_t waitedTicks = 0; ///< cutime + cstime: of descendants that have ended and were waited for.
    std::int64_t residentPages = 0;
    std::int64_t startTicks = 0; ///< Since boot. Distinguishes the process from a later one with the same id.
    bool ended = false;          ///< The process has ended, but its parent has not waited for it yet.
};
/// nullopt if the line is invalid. The command name in the line may contain blanks and parentheses.
std::optional<ProcessStat> parseProcessStat(std::string_view line);

/// Resources used by a process and all its descendants.
struct ProcessUsage
{
    /// Since the processes started, including those that have ended. Decreases if a descendant ends and its
    /// parent does not wait for it.
    double cpuSeconds = 0;
    std::int64_t ownBytes = 0; ///< Resident memory of the process itself.
    /// Resident memory of all descendants together. Pages shared by several processes count for each.
    std::int64_t descendantBytes = 0;
    /// Disk traffic since the processes started. nullopt if the system does not count it. Descendants that
    /// this process may not inspect are omitted while they live.
    std::optional<std::int64_t> readBytes, writtenBytes;
};
/// nullopt if the process itself does not exist. Descendants that end during the call are omitted. If the
/// kernel does not list children (CONFIG_PROC_CHILDREN), live descendants are omitted.
std::optional<ProcessUsage> readProcessUsage(const ProcessSource& source = {});

} // namespace sparserl
