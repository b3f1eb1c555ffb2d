// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace sparserl {

/// Where processes are looked up: the defaults are this machine and this process.
struct ProcessSource
{
    std::filesystem::path proc = "/proc";
    int process = 0;                 ///< Its number; 0: the calling process.
    std::int64_t ticksPerSecond = 0; ///< Of the times in stat; 0: as this system says.
    std::int64_t pageBytes = 0;      ///< 0: as this system says.
};

/// What counts here of a process's line in /proc/PID/stat (proc(5)).
struct ProcessStat
{
    std::int64_t ownTicks = 0;    ///< utime + stime.
    std::int64_t waitedTicks = 0; ///< cutime + cstime: of descendants that ended and were waited for.
    std::int64_t residentPages = 0;
    std::int64_t startTicks = 0; ///< Since the system began: tells it from a later process of its number.
    bool ended = false;          ///< Its parent has not asked how yet.
};
/// Nothing where the line is not one. The command's name in it may have blanks and brackets.
std::optional<ProcessStat> parseProcessStat(std::string_view line);

/// What a process and everything below it use.
struct ProcessUsage
{
    /// Since they began, of those that have ended too. Falls where a descendant ended that nobody waited for.
    double cpuSeconds = 0;
    std::int64_t ownBytes = 0;        ///< Resident memory of the process itself.
    std::int64_t descendantBytes = 0; ///< Of all below it together; pages that several share count for each.
    /// From and to disks since they began; nothing where the system does not count them. Descendants that may
    /// not be looked at are left out while they live.
    std::optional<std::int64_t> readBytes, writtenBytes;
};
/// Nothing where the process itself is not there. Descendants that end meanwhile are left out; where the
/// kernel does not list children (CONFIG_PROC_CHILDREN) those that live are.
std::optional<ProcessUsage> readProcessUsage(const ProcessSource& source = {});

} // namespace sparserl
